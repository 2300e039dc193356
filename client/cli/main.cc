// gpusim-client: the command line on the client library.
#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include <fcntl.h>
#include <google/protobuf/stubs/logging.h>
#include <unistd.h>

#include "client/cli/command_line.h"
#include "client/cli/error_report.h"
#include "client/cli/file_bytes.h"
#include "client/cli/interruption.h"
#include "client/cli/terminal.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

int End(const Failure& failure) {
  std::string text = "gpusim-client: ";
  for (const std::string& line : failure.lines) text += line + '\n';
  WriteAll(STDERR_FILENO, text);
  return failure.status;
}

int End(const Output& output) {
  WriteAll(STDERR_FILENO, output.err);
  if (WriteAll(STDOUT_FILENO, output.out)) return output.status;
  return End(
      Failure{kExitFailed, {std::string("cannot write to stdout: ") + std::strerror(errno)}});
}

// The options of the client are those of the command line, but for GPUSIM_TOKEN.
Failure BadOptions(const Error& error) {
  Failure failure{kExitUsage, {}};
  for (const FieldViolation& violation : error.violations) {
    std::string option = violation.field;
    if (option != "GPUSIM_TOKEN") {
      std::replace(option.begin(), option.end(), '_', '-');
      option = "--" + option;
    }
    failure.lines.push_back(Printable(option + " " + violation.description));
  }
  return failure;
}

// Ctrl-C cancels from here to the return. What reads or prints in between looks whether it has.
tl::expected<Output, Failure> Call(Command& command, const Settings& settings) {
  const Interruption interruption;
  ClientOptions options = settings.access;
  options.server = settings.server;
  options.timeout = settings.timeout;
  auto client = ProtoClient::Create(std::move(options));
  if (!client) return tl::unexpected(BadOptions(client.error()));
  return command.Run(settings, **client,
                     {.cancellation = interruption.cancellation(), .priority = settings.priority});
}

// A standard descriptor that was closed would be the next one that gRPC opens, and an answer would
// be written there. Each closed one is opened the wrong way round, so that reading or writing it
// goes on failing.
void OccupyClosedStandardDescriptors() {
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (fcntl(descriptor, F_GETFD) == -1)
      open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY);
  }
}

int Main(std::vector<std::string> arguments) {
  OccupyClosedStandardDescriptors();
  // The libraries' own logs would mix with the one line that says what is wrong.
  setenv("GRPC_VERBOSITY", "none", /*overwrite=*/0);
  google::protobuf::SetLogHandler(nullptr);

  CommandLine command_line;
  auto invocation = command_line.Parse(std::move(arguments), DetectTerminal());
  if (!invocation) return End(invocation.error());
  if (invocation->command == nullptr) return End(Output{invocation->text, ""});

  invocation->settings.console = {
      .out = [](const std::string& text) { return WriteAll(STDOUT_FILENO, text); },
      .err = [](const std::string& text) { return WriteAll(STDERR_FILENO, text); }};
  const auto prepared = invocation->command->Prepare(invocation->settings);
  if (!prepared) return End(prepared.error());

  const auto output = Call(*invocation->command, invocation->settings);
  return output ? End(*output) : End(output.error());
}

}  // namespace
}  // namespace gpusim::cli

int main(int argc, char** argv) {
  return gpusim::cli::Main(std::vector<std::string>(argv + 1, argv + argc));
}
