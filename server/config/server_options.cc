#include "server/config/server_options.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include <CLI/CLI.hpp>

#include "server/config/listen_address.h"
#include "server/config/option_table.h"

namespace gpusim::server {
namespace {

// GPUSIM_MAX_QUEUED_CALLS for max-queued-calls.
std::string EnvironmentName(const std::string& flag) {
  std::string name = "GPUSIM_" + flag;
  for (char& c : name) c = c == '-' ? '_' : static_cast<char>(std::toupper(c));
  return name;
}

void TakeValue(const OptionEntry& entry, const std::string& value) {
  if (!entry.take(value))
    throw CLI::ValidationError("--" + entry.flag, "'" + value + "': it has to be " + entry.rule);
}

// The entry has to outlive the app.
void AddOption(CLI::App& app, const OptionEntry& entry, std::vector<std::string>& list) {
  const std::string flag = "--" + entry.flag;
  const std::string help = entry.help + " [" + entry.print() + "]";
  CLI::Option* option = nullptr;
  switch (entry.kind) {
    case OptionEntry::Kind::kSwitch:
      option = app.add_flag(flag, *entry.on, help);
      break;
    case OptionEntry::Kind::kValue:
      option = app.add_option_function<std::string>(
          flag, [&entry](const std::string& value) { TakeValue(entry, value); }, help);
      option->take_last()->type_name("");
      break;
    case OptionEntry::Kind::kList:
      option = app.add_option_function<std::vector<std::string>>(
          flag,
          [&entry, &list](const std::vector<std::string>& values) {
            list.clear();  // what is given replaces the default
            for (const std::string& value : values) TakeValue(entry, value);
          },
          help);
      option->delimiter(',')->type_name("");
      break;
  }
  option->envname(EnvironmentName(entry.flag));
  if (entry.hidden) option->group("");
}

// Rules between options.
void CheckTogether(const ServerOptions& options) {
  if (options.build_race_table != 0 && options.race_table_dir.empty())
    throw CLI::ValidationError("--build-race-table", "it needs --race-table-dir to write to");
  if (options.insecure) return;
  const auto open =
      std::find_if(options.listen.begin(), options.listen.end(),
                   [](const auto& text) { return !ParseListenAddress(text)->IsLocal(); });
  if (open != options.listen.end())
    throw CLI::ValidationError("--listen", "'" + *open +
                                               "': plaintext on more than loopback and Unix "
                                               "sockets needs --insecure");
}

}  // namespace

tl::expected<ServerOptions, ParseExit> ParseServerOptions(int argc, const char* const* argv) {
  ServerOptions options;
  const std::vector<OptionEntry> table = OptionTable(options);
  CLI::App app("Exact Camel Up odds and Game of Life steps over gRPC, on a GPU or the CPU.",
               "gpusim-server");
  for (const OptionEntry& entry : table) AddOption(app, entry, options.listen);
  bool print_config = false;
  app.add_flag("--print-config", print_config, "Print the options as they result, and exit");
  app.set_version_flag("--version", "gpusim-server " + std::string(Version()));
  app.footer(
      "Every flag may come from the environment too, as GPUSIM_FLAG.\n\n"
      "Exit status: 0 after SIGTERM or SIGINT, 1 cannot start, 2 wrong usage, 3 a device is lost,\n"
      "4 a device hangs, 5 the stop took too long. At 3, 4 and 5 start it again.");
  try {
    app.parse(argc, argv);
    CheckTogether(options);
  } catch (const CLI::CallForHelp&) {
    return tl::unexpected(ParseExit{0, app.help()});
  } catch (const CLI::CallForVersion& version) {
    return tl::unexpected(ParseExit{0, std::string(version.what()) + "\n"});
  } catch (const CLI::ParseError& error) {
    return tl::unexpected(
        ParseExit{2, "gpusim-server: " + std::string(error.what()) + " (see --help)\n"});
  }
  if (print_config) return tl::unexpected(ParseExit{0, DescribeOptions(options)});
  return options;
}

std::string DescribeOptions(const ServerOptions& options) {
  ServerOptions copy = options;
  std::string text;
  for (const OptionEntry& entry : OptionTable(copy))
    if (!entry.hidden) text += entry.flag + " = " + entry.print() + "\n";
  return text;
}

std::string_view Version() { return GPUSIM_VERSION; }

}  // namespace gpusim::server
