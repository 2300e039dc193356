#include "server/config/server_options.h"

#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include <CLI/CLI.hpp>

#include "server/config/config_file.h"
#include "server/config/listen_address.h"
#include "server/config/option_table.h"

namespace gpusim::server {
namespace {

constexpr char kConfigVariable[] = "GPUSIM_CONFIG";

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

// A value of the file, in the way that --print-config writes it.
bool TakeFileValue(const OptionEntry& entry, std::string_view value,
                   std::vector<std::string>& list) {
  switch (entry.kind) {
    case OptionEntry::Kind::kSwitch:
      *entry.on = value == "true";
      return *entry.on || value == "false";
    case OptionEntry::Kind::kValue:
      return entry.take(value);
    case OptionEntry::Kind::kList:
      break;
  }
  list.clear();
  for (bool more = true; more;) {
    const std::size_t comma = value.find(',');
    more = comma != std::string_view::npos;
    if (!entry.take(value.substr(0, comma))) return false;
    value.remove_prefix(more ? comma + 1 : value.size());
  }
  return true;
}

// What neither the command line nor the environment has said.
void TakeFile(const CLI::App& app, const std::string& path, const std::vector<OptionEntry>& table,
              std::vector<std::string>& list) {
  const auto lines = ReadConfigFile(path);
  if (!lines) throw CLI::ValidationError("--config", lines.error());
  std::map<std::string, std::size_t> seen;
  for (const ConfigLine& line : *lines) {
    const std::string place = path + ":" + std::to_string(line.number) + ": " + line.flag;
    const auto entry = std::find_if(table.begin(), table.end(),
                                    [&](const auto& known) { return known.flag == line.flag; });
    if (entry == table.end()) throw CLI::ValidationError("--config", place + ": no such flag");
    if (const auto [first, fresh] = seen.emplace(line.flag, line.number); !fresh)
      throw CLI::ValidationError("--config",
                                 place + ": line " + std::to_string(first->second) + " has it too");
    if (app.get_option("--" + line.flag)->count() > 0) continue;
    if (!TakeFileValue(*entry, line.value, list))
      throw CLI::ValidationError("--config",
                                 place + ": '" + line.value + "': it has to be " + entry->rule);
  }
}

void CheckListen(const ServerOptions& options) {
  if (options.tls_certificate.empty() != options.tls_key.empty())
    throw CLI::ValidationError(options.tls_key.empty() ? "--tls-certificate" : "--tls-key",
                               "--tls-certificate and --tls-key go together");
  if (!options.tls_client_ca.empty() && options.tls_certificate.empty())
    throw CLI::ValidationError("--tls-client-ca", "it needs --tls-certificate and --tls-key");
  if (options.insecure || !options.tls_certificate.empty()) return;
  const auto open =
      std::find_if(options.listen.begin(), options.listen.end(),
                   [](const auto& text) { return !ParseListenAddress(text)->IsLocal(); });
  if (open != options.listen.end())
    throw CLI::ValidationError("--listen", "'" + *open +
                                               "': plaintext on more than loopback and Unix "
                                               "sockets needs --insecure, or --tls-certificate");
}

// Rules between options.
void CheckTogether(const ServerOptions& options) {
  if (options.build_race_table != 0 && options.race_table_dir.empty())
    throw CLI::ValidationError("--build-race-table", "it needs --race-table-dir to write to");
  CheckListen(options);
}

}  // namespace

tl::expected<ServerOptions, ParseExit> ParseServerOptions(int argc, const char* const* argv) {
  ServerOptions options;
  const std::vector<OptionEntry> table = OptionTable(options);
  CLI::App app("Exact Camel Up odds and Game of Life steps over gRPC, on a GPU or the CPU.",
               "gpusim-server");
  for (const OptionEntry& entry : table) AddOption(app, entry, options.listen);
  std::string config;
  app.add_option("--config", config, "File of lines FLAG = VALUE, for what is given nowhere else")
      ->envname(kConfigVariable)
      ->take_last()
      ->type_name("");
  bool print_config = false;
  app.add_flag("--print-config", print_config, "Print the options as they result, and exit");
  app.set_version_flag("--version", "gpusim-server " + std::string(Version()));
  app.footer(
      "Every flag may come from the environment too, as GPUSIM_FLAG, and from the file of "
      "--config.\n\n"
      "Exit status: 0 after SIGTERM or SIGINT, 1 cannot start, 2 wrong usage, 3 a device is lost,\n"
      "4 a device hangs, 5 the stop took too long. At 3, 4 and 5 start it again.");
  try {
    app.parse(argc, argv);
    if (!config.empty()) TakeFile(app, config, table, options.listen);
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

std::vector<std::string> UnknownVariables(const char* const* environment) {
  ServerOptions options;
  // The second and third are the client's.
  std::set<std::string, std::less<>> known{kConfigVariable, "GPUSIM_SERVER", "GPUSIM_TOKEN"};
  for (const OptionEntry& entry : OptionTable(options)) known.insert(EnvironmentName(entry.flag));
  std::vector<std::string> unknown;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (name.starts_with("GPUSIM_") && !known.contains(name)) unknown.emplace_back(name);
  }
  std::sort(unknown.begin(), unknown.end());
  return unknown;
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
