// gpusim-server as a process on the CPU, shared by the tests of a suite, and gpusim-client as processes
// that call it.
#pragma once

#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/testing/process.h"

namespace gpusim::testing {

using Arguments = std::vector<std::string>;

class CliServer : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    server_ = std::make_unique<Process>(
        Command{.arguments = {GPUSIM_SERVER_PROGRAM, "--backend", "cpu", "--listen", "127.0.0.1:0"},
                .environment = {},
                .input = {}});
    const std::string start = "listening on ";
    const auto line = server_->WaitForLine(start);
    if (line) address_ = line->substr(start.size());
  }

  static void TearDownTestSuite() { server_.reset(); }

  void SetUp() override { ASSERT_FALSE(address_.empty()) << server_->Wait().err; }

  static Command ClientCommand(Arguments arguments, std::string input = "") {
    arguments.insert(arguments.begin(), GPUSIM_CLIENT_PROGRAM);
    return {.arguments = std::move(arguments),
            .environment = {{"GPUSIM_SERVER", address_},
                            {"NO_COLOR", ""},
                            {"TERM", "xterm"},
                            {"LC_ALL", "C.UTF-8"}},
            .input = std::move(input)};
  }

  static Ending Client(Arguments arguments, std::string input = "") {
    return RunProgram(ClientCommand(std::move(arguments), std::move(input)));
  }

  static inline std::unique_ptr<Process> server_;
  static inline std::string address_;
};

inline std::vector<std::string> Lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace gpusim::testing
