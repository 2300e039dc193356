// The options that the commands about Camel Up positions share.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "client/cli/command.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

// --edition, --position, --tiles and --dice.
class PositionOptions {
 public:
  explicit PositionOptions(CLI::App& app);
  // Reads stdin where the position is '-'.
  tl::expected<void, Failure> Fill(v1::Position& position) const;

 private:
  std::string edition_;
  std::string position_;
  std::string tiles_;
  std::string dice_;
};

// --outputs and --race.
class OutputOptions {
 public:
  explicit OutputOptions(CLI::App& app);
  // Also where what is asked for does not fit the format.
  tl::expected<std::vector<v1::Output>, Failure> Read(Format format) const;

 private:
  std::string outputs_;
  bool race_ = false;
};

// --seed, --subsequence and --offset.
class StreamOptions {
 public:
  explicit StreamOptions(CLI::App& app);
  // Nothing without a seed.
  tl::expected<std::optional<v1::RandomStream>, Failure> Read() const;

 private:
  std::string seed_;
  std::string subsequence_;
  std::string offset_;
};

// "1000" or "1e9" of an option; wrong usage otherwise.
tl::expected<std::uint64_t, Failure> ReadCount(const std::string& option, const std::string& text);

// Adds text below the options of a command's help.
void AddHelp(CLI::App& app, const std::string& text);

}  // namespace gpusim::cli
