// CLI11 finds the options; every value is a string to it and is checked by its command, so that one
// voice says what is wrong and what to do. The global options may stand before or behind a command
// (fallthrough).
#include "client/cli/command_line.h"

#include <algorithm>
#include <numeric>
#include <string_view>

#include "client/cli/camel_up_batch.h"
#include "client/cli/camel_up_moves.h"
#include "client/cli/camel_up_odds.h"
#include "client/cli/camel_up_simulate.h"
#include "client/cli/check.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_soups.h"
#include "client/cli/life_step.h"
#include "client/cli/ping.h"
#include "client/cli/status.h"
#include "client/cli/text.h"
#include "client/cli/values.h"

namespace gpusim::cli {
namespace {

constexpr const char* kVersion = "gpusim-client " GPUSIM_VERSION;

// Levenshtein's.
std::size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), 0);
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string Nearest(const std::string& wanted, const std::vector<std::string>& names) {
  std::string nearest;
  std::size_t least = 4;  // more edits than that make another word
  for (const std::string& name : names) {
    const std::size_t distance = EditDistance(wanted, name);
    if (distance >= std::min(least, wanted.size())) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::vector<std::string> OptionNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
    }
  }
  return names;
}

std::vector<std::string> CommandNames(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  return names;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

// "gpusim-client camel-up odds"
std::string FullName(const CLI::App& app) {
  return app.get_parent() == nullptr ? app.get_name()
                                     : FullName(*app.get_parent()) + " " + app.get_name();
}

std::string SeeHelp(const CLI::App& app) { return "see " + FullName(app) + " --help"; }

// CLI11 gives an option the next argument whatever it looks like.
std::string ForgottenValue(const CLI::App& app) {
  for (const CLI::App* at = &app; at != nullptr; at = at->get_parent()) {
    for (const CLI::Option* option : at->get_options()) {
      if (option->empty() || option->get_expected_min() == 0) continue;
      const auto names = OptionNames(app);
      const std::string& value = option->results().front();
      const std::string name = value.substr(0, value.find('='));
      if (std::find(names.begin(), names.end(), name) != names.end()) return option->get_name();
    }
  }
  return "";
}

}  // namespace

CommandLine::CommandLine()
    : app_("Exact Camel Up odds and Game of Life steps from a gpusim server.", "gpusim-client") {
  app_.fallthrough();
  app_.require_subcommand(0, 1);
  app_.footer(
      "--server, --timeout, --format, --priority and the options of TLS and tokens may stand "
      "before "
      "or behind a command.\n"
      "Exit status: 0 answered, 1 refused or failed, 2 wrong usage, 130 interrupted.");
  app_.set_help_flag("--help", "Print this and exit");
  app_.set_version_flag("--version", kVersion, "Print the version and exit");
  app_.add_option("--server", server_,
                  "HOST:PORT or unix:PATH. The environment's GPUSIM_SERVER, else 127.0.0.1:50051");
  app_.add_option(
      "--tls-ca", access_.tls_ca,
      "PEM file of the authorities whose servers are trusted; the connection is TLS then");
  app_.add_option("--tls-certificate", access_.tls_certificate,
                  "PEM file of the own certificate, for servers that ask for one");
  app_.add_option("--tls-key", access_.tls_key, "PEM file of its key");
  app_.add_option("--tls-server-name", access_.tls_server_name,
                  "The name in the server's certificate, where it is another than the host's");
  app_.add_option(
      "--token-file", access_.token_file,
      "File of the token for servers that ask for one. Else the environment's GPUSIM_TOKEN");
  app_.add_option("--timeout", timeout_, "Of a call, with a unit: 500ms, 10s. 30s");
  app_.add_option("--format", format_, "table, json or csv. table");
  app_.add_option(
      "--priority", priority_,
      "interactive or bulk, beside the server's other work. Bulk for long runs and many "
      "at once, else interactive");

  CLI::App& camel_up = *app_.add_subcommand("camel-up", "Camel Up");
  Add(camel_up, "odds", "The odds of the leg under way and of the race, exact or sampled",
      &MakeCamelUpOdds);
  Add(camel_up, "moves", "What every action of a player is worth", &MakeCamelUpMoves);
  Add(camel_up, "simulate", "A long Monte Carlo run with running estimates", &MakeCamelUpSimulate);
  Add(camel_up, "batch", "The odds of a file of positions, as lines of JSON", &MakeCamelUpBatch);
  CLI::App& life = *app_.add_subcommand("life", "Game of Life");
  Add(life, "step", "Run a pattern, or a board of the server, and tell what became of it",
      &MakeLifeStep);
  Add(life, "soups", "Run many random boards and tell how they end", &MakeLifeSoups);
  Add(life, "create", "Make a board that stays on the server", &MakeLifeCreate);
  Add(life, "list", "The server's boards", &MakeLifeList);
  Add(life, "show", "A board and its facts", &MakeLifeShow);
  Add(life, "update", "Change a board's lease and automatic saves", &MakeLifeUpdate);
  Add(life, "stop", "End the run of a board", &MakeLifeStop);
  Add(life, "read", "Cells of a board, to a file or as a picture", &MakeLifeRead);
  Add(life, "write", "Stamp cells on a board", &MakeLifeWrite);
  Add(life, "run", "Step a board and draw it", &MakeLifeRun);
  Add(life, "watch", "Draw a board while it runs", &MakeLifeWatch);
  Add(life, "fork", "Copy a board", &MakeLifeFork);
  Add(life, "snapshot", "Save a board to the server's disk", &MakeLifeSnapshot);
  Add(life, "snapshots", "What is saved there", &MakeLifeSnapshots);
  Add(life, "restore", "Make a board of a snapshot", &MakeLifeRestore);
  Add(life, "delete", "Delete a board, or a snapshot", &MakeLifeDelete);
  Add(app_, "status", "The server's version, devices, counters and limits", &MakeStatus);
  Add(app_, "check", "Ask the server what is known, and compare", &MakeCheck);
  Add(app_, "ping", "Time empty calls through the server's scheduler", &MakePing);
}

void CommandLine::Add(CLI::App& parent, const char* name, const char* description, Maker make) {
  CLI::App& app = *parent.add_subcommand(name, description);
  commands_.emplace_back(&app, make(app));
}

tl::expected<Invocation, Failure> CommandLine::Parse(std::vector<std::string> arguments,
                                                     const Terminal& terminal) {
  // CLI11 takes them from the back.
  std::reverse(arguments.begin(), arguments.end());
  try {
    app_.parse(std::move(arguments));
  } catch (const CLI::CallForHelp&) {
    return Invocation{nullptr, {}, app_.help()};
  } catch (const CLI::CallForVersion&) {
    return Invocation{nullptr, {}, std::string(kVersion) + '\n'};
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(Explain(error));
  }

  const CLI::App& chosen = Deepest();
  if (const std::string option = ForgottenValue(chosen); !option.empty()) {
    return WrongUsage(option + " needs a value; " + SeeHelp(chosen));
  }
  for (const auto& [app, command] : commands_) {
    if (app != &chosen) continue;
    auto settings = CheckSettings(terminal);
    if (!settings) return tl::unexpected(std::move(settings.error()));
    return Invocation{command.get(), std::move(*settings), ""};
  }
  return WrongUsage((chosen.get_parent() == nullptr ? "no command; pass one of "
                                                    : chosen.get_name() + " needs a command: ") +
                    Joined(CommandNames(chosen)));
}

tl::expected<Settings, Failure> CommandLine::CheckSettings(const Terminal& terminal) const {
  Settings settings;
  settings.terminal = terminal;
  settings.server = ResolveServer(server_);
  if (const std::string fault = ServerAddressFault(settings.server); !fault.empty()) {
    return WrongUsage((server_.empty() ? "GPUSIM_SERVER '" : "--server '") +
                      Printable(settings.server) + "': " + fault);
  }
  const auto timeout = ParseDuration(timeout_);
  if (!timeout) return WrongUsage("--timeout '" + Printable(timeout_) + "' " + timeout.error());
  settings.timeout = *timeout;
  settings.access = access_;
  settings.timeout_given = app_.count("--timeout") > 0;
  if (format_ == "table") {
    settings.format = Format::kTable;
  } else if (format_ == "json") {
    settings.format = Format::kJson;
  } else if (format_ == "csv") {
    settings.format = Format::kCsv;
  } else {
    return WrongUsage("--format '" + Printable(format_) + "' is unknown; pass table, json or csv");
  }
  if (priority_ == "interactive") {
    settings.priority = Priority::kInteractive;
  } else if (priority_ == "bulk") {
    settings.priority = Priority::kBulk;
  } else if (app_.count("--priority") > 0) {
    return WrongUsage("--priority '" + Printable(priority_) +
                      "' is unknown; pass interactive or bulk");
  }
  return settings;
}

// The innermost command that the arguments name.
const CLI::App& CommandLine::Deepest() const {
  const CLI::App* app = &app_;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().back();
  return *app;
}

Failure CommandLine::Explain(const CLI::ParseError& error) const {
  std::string line;
  // The option's name is the first word of these messages.
  const std::string message = error.what();
  const std::string option = message.substr(0, message.find_first_of(": "));
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    // A forgotten value leaves over the value of the option that was taken for it.
    const std::string forgotten = ForgottenValue(Deepest());
    line = forgotten.empty() ? ExplainExtra() : forgotten + " needs a value";
  } else if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const bool missing = message.find("missing") != std::string::npos ||
                         message.find("At least") != std::string::npos;
    line = option + (missing ? " needs a value" : " is given more than once; pass it once");
  } else if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr) {
    // All options are strings; only a flag with a value cannot be converted. "Could not convert:
    // --limits = foo".
    const auto flag = message.find("--");
    line = Printable(message.substr(std::min(flag, message.size())));
    line = line.substr(0, line.find(' ')) + " takes no value";
  } else {
    line = Printable(message);
  }
  return Failure{kExitUsage, {line, SeeHelp(Deepest())}};
}

std::string CommandLine::ExplainExtra() const {
  const std::vector<std::string> extras = app_.remaining(true);
  if (extras.empty()) return "an argument was not expected";
  const CLI::App& chosen = Deepest();
  const std::string& word = extras.front();
  const std::string name = word.substr(0, word.find('='));
  const std::vector<std::string> commands = CommandNames(chosen);
  const bool is_option = word.starts_with('-');
  const std::string nearest = Nearest(name, is_option ? OptionNames(chosen) : commands);
  const std::string hint = nearest.empty() ? "" : "; did you mean " + nearest + "?";
  if (is_option) return "unknown option " + Printable(name) + hint;
  if (!commands.empty()) {
    return "unknown command '" + Printable(word) + "'" +
           (hint.empty() ? "; pass one of " + Joined(commands) : hint);
  }
  return "unexpected argument '" + Printable(word) + "'; put quotes around a value with spaces";
}

}  // namespace gpusim::cli
