// From the program's arguments to a command with its settings.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <tl/expected.hpp>

#include "client/cli/command.h"

namespace gpusim::cli {

// Either a command to run, or a text (help or version) that was all that was asked for.
struct Invocation {
  Command* command = nullptr;  // owned by the CommandLine
  Settings settings;
  std::string text;
};

class CommandLine {
 public:
  CommandLine();
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;

  // Once. `arguments` are without the program's name.
  tl::expected<Invocation, Failure> Parse(std::vector<std::string> arguments,
                                          const Terminal& terminal);

 private:
  using Maker = std::unique_ptr<Command> (*)(CLI::App&);
  void Add(CLI::App& parent, const char* name, const char* description, Maker make);
  tl::expected<Settings, Failure> CheckSettings(const Terminal& terminal) const;
  Failure Explain(const CLI::ParseError& error) const;
  std::string ExplainExtra() const;
  const CLI::App& Deepest() const;

  CLI::App app_;
  std::string server_;
  ClientOptions access_;
  std::string timeout_ = "30s";
  std::string format_ = "table";
  std::string priority_;
  std::vector<std::pair<const CLI::App*, std::unique_ptr<Command>>> commands_;
};

}  // namespace gpusim::cli
