// What a command is, and how it ends.
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <vector>

#include <gpusim/client_proto.h>
#include <tl/expected.hpp>

#include "client/cli/terminal.h"

namespace gpusim::cli {

constexpr int kExitOk = 0;
constexpr int kExitFailed =
    1;  // the server refused or failed, or a position, pattern or file is bad
constexpr int kExitUsage = 2;
constexpr int kExitInterrupted = 130;

// Goes to stderr, the first line after the program's name.
struct Failure {
  int status = kExitFailed;
  std::vector<std::string> lines;
};

inline tl::unexpected<Failure> Fail(int status, std::string line) {
  return tl::unexpected(Failure{status, {std::move(line)}});
}

inline tl::unexpected<Failure> WrongUsage(std::string line) {
  return Fail(kExitUsage, std::move(line));
}

struct Output {
  std::string out;  // for stdout
  std::string err;  // for stderr
  int status = kExitOk;
};

// For what a command writes while it runs. False, with errno set, when that cannot be done.
struct Console {
  std::function<bool(const std::string&)> out;
  std::function<bool(const std::string&)> err;
};

enum class Format { kTable, kJson, kCsv };

// What all commands share.
struct Settings {
  std::string server;
  ClientOptions access;  // its files of TLS and token
  std::chrono::nanoseconds timeout;
  bool timeout_given = false;  // by --timeout
  Format format = Format::kTable;
  Priority priority = Priority::kUnspecified;
  Terminal terminal;
  Console console;
};

// Of calls that stream, which have no deadline unless somebody asks for one.
inline CallOptions WithTimeout(const Settings& settings, CallOptions options) {
  if (settings.timeout_given) options.timeout = settings.timeout;
  return options;
}

// The options are parsed into it, then Prepare and Run are called once each.
class Command {
 public:
  virtual ~Command() = default;

  // Checks the options and reads files, without the server. What is wrong here ends the program
  // before it connects.
  virtual tl::expected<void, Failure> Prepare(const Settings& settings) = 0;

  // Makes the calls.
  virtual tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                            const CallOptions& options) = 0;
};

}  // namespace gpusim::cli
