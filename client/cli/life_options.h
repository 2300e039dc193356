// Options that several commands about Life share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "client/cli/command.h"
#include "client/cli/life_values.h"
#include "client/cli/text.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

// Of an option that was given, read by `parse`; wrong usage otherwise. Nothing for an empty text.
template <class Parse>
auto ReadValue(const std::string& option, const std::string& text, Parse parse)
    -> tl::expected<std::optional<typename decltype(parse(text))::value_type>, Failure> {
  if (text.empty()) return std::nullopt;
  auto value = parse(text);
  if (!value) return WrongUsage(option + " '" + Printable(text) + "' " + value.error());
  return std::move(*value);
}

// --random and --seed.
class RandomOptions {
 public:
  explicit RandomOptions(CLI::App& app);
  bool given() const { return !density_.empty(); }
  // Nothing without --random.
  tl::expected<std::optional<v1::RandomFill>, Failure> Read() const;

 private:
  std::string density_;
  std::string seed_;
};

// --until and --facts.
class RunOptions {
 public:
  explicit RunOptions(CLI::App& app);
  tl::expected<void, Failure> Read();

  const std::optional<v1::Until>& until() const { return until_; }
  const std::vector<v1::Fact>& facts() const { return facts_; }
  template <class Message>
  void Fill(Message& message) const {
    if (until_) *message.mutable_until() = *until_;
    for (const v1::Fact fact : facts_) message.add_facts(fact);
  }

 private:
  std::string until_text_;
  std::string facts_text_;
  std::optional<v1::Until> until_;
  std::vector<v1::Fact> facts_;
};

// Of both kinds of 'life step': --generations, --facts-every and the above.
class StepOptions {
 public:
  explicit StepOptions(CLI::App& app);
  tl::expected<void, Failure> Read();

  const std::optional<std::uint64_t>& generations() const { return generations_; }
  std::uint64_t facts_every() const { return facts_every_; }  // 0: no series
  const RunOptions& run() const { return run_; }

 private:
  RunOptions run_;
  std::string generations_text_;
  std::string facts_every_text_;
  std::optional<std::uint64_t> generations_;
  std::uint64_t facts_every_ = 0;
};

// --lease and --autosave.
class TimesOptions {
 public:
  TimesOptions(CLI::App& app, const std::string& otherwise);
  bool given() const { return !lease_.empty() || !autosave_.empty(); }
  template <class Message>
  tl::expected<void, Failure> Fill(Message& message) const {
    const auto lease = ReadValue("--lease", lease_, ParseLease);
    if (!lease) return tl::unexpected(lease.error());
    if (*lease) message.set_lease_s(**lease);
    const auto autosave = ReadValue("--autosave", autosave_, ParseLease);
    if (!autosave) return tl::unexpected(autosave.error());
    if (*autosave) message.set_autosave_every_s(**autosave);
    return {};
  }

 private:
  std::string lease_;
  std::string autosave_;
};

// The board that a command is about: its first argument.
class NameOption {
 public:
  NameOption(CLI::App& app, const std::string& what);
  tl::expected<void, Failure> Check() const;
  const std::string& name() const { return name_; }

 private:
  std::string what_;
  std::string name_;
};

}  // namespace gpusim::cli
