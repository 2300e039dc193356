// The command line against a server in this process, without a process of its own.
#pragma once

#include <string>
#include <vector>

#include "client/cli/command_line.h"
#include "tests/unit/client_fake_server.h"

namespace gpusim::testing {

struct CommandEnding {
  int status = -1;
  std::string out;
  std::string err;
};

// As main runs it, but for signals.
inline CommandEnding RunCommand(const FakeServer& server, std::vector<std::string> arguments,
                                const cli::Terminal& terminal = {},
                                const CallOptions& options = {}) {
  CommandEnding ending;
  const auto fail = [&](const cli::Failure& failure) {
    ending.status = failure.status;
    for (const std::string& line : failure.lines) ending.err += line + '\n';
    return ending;
  };
  arguments.insert(arguments.begin(), {"--server", server.address()});
  cli::CommandLine command_line;
  auto invocation = command_line.Parse(std::move(arguments), terminal);
  if (!invocation) return fail(invocation.error());
  cli::Settings& settings = invocation->settings;
  const auto append_to = [](std::string& text) {
    return [&text](const std::string& more) {
      text += more;
      return true;
    };
  };
  settings.console = {.out = append_to(ending.out), .err = append_to(ending.err)};
  if (auto prepared = invocation->command->Prepare(settings); !prepared)
    return fail(prepared.error());
  auto client = ProtoClient::Create({.server = settings.server, .timeout = settings.timeout});
  const auto output = invocation->command->Run(settings, **client, options);
  if (!output) return fail(output.error());
  ending.status = output->status;
  ending.out += output->out;
  ending.err += output->err;
  return ending;
}

}  // namespace gpusim::testing
