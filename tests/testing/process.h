// Programs run as processes, for tests that look at exit statuses, at what is printed, and at
// signals.
//
// Nothing sleeps: a wait is for a line, for the end, or for a deadline that no healthy run comes
// near.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <sys/types.h>

namespace gpusim::testing {

struct Command {
  std::vector<std::string> arguments;              // the program's path first
  std::map<std::string, std::string> environment;  // in addition to this process's own, or instead
  std::string input;                               // all of stdin
};

struct Ending {
  int status = -1;  // of exit, or -1
  int signal = 0;   // that ended it, or 0
  std::string out;
  std::string err;  // empty at a terminal, where both are one
};

constexpr std::chrono::seconds kPatience{60};

// A running program with its pipes. Destroying one that runs kills it.
class Process {
 public:
  explicit Process(const Command& command);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Reads stdout up to a line that starts so and returns it without its line end; nothing when the
  // program ends or the patience does first.
  std::optional<std::string> WaitForLine(const std::string& start);

  void Signal(int number);
  pid_t pid() const { return pid_; }

  // Until the program ends by itself; killed when the patience ends (signal is SIGKILL then).
  Ending Wait();

 private:
  friend Ending RunProgramAtTerminal(const Command&, int, int);
  Process() = default;
  // Waits for more output, until `deadline`; false when both pipes are closed or the time is over.
  bool ReadSome(std::chrono::steady_clock::time_point deadline);
  void WriteInput(std::string input);

  pid_t pid_ = -1;
  int out_ = -1;
  int err_ = -1;
  int in_ = -1;
  std::thread writer_;
  Ending ending_;
};

// Start and Wait.
Ending RunProgram(const Command& command);

// The same with a terminal of that size as stdin, stdout and stderr. The terminal ends lines with
// "\r\n"; they are given back as "\n". `input` is not used.
Ending RunProgramAtTerminal(const Command& command, int columns, int rows);

}  // namespace gpusim::testing
