#include "tests/testing/process.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <spawn.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace gpusim::testing {
namespace {

using Clock = std::chrono::steady_clock;

// The strings that exec wants, and the pointers to them.
class ExecStrings {
 public:
  explicit ExecStrings(std::vector<std::string> strings) : strings_(std::move(strings)) {
    for (std::string& string : strings_) pointers_.push_back(string.data());
    pointers_.push_back(nullptr);
  }
  ExecStrings(const ExecStrings&) = delete;
  ExecStrings& operator=(const ExecStrings&) = delete;
  char** get() { return pointers_.data(); }

 private:
  std::vector<std::string> strings_;
  std::vector<char*> pointers_;
};

std::vector<std::string> EnvironmentOf(const Command& command) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    if (!command.environment.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : command.environment) all.push_back(name + "=" + value);
  return all;
}

// Both ends are closed in other programs that a test starts.
struct Pipe {
  Pipe() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) std::abort();
    read_end = ends[0];
    write_end = ends[1];
  }
  int read_end;
  int write_end;
};

// The program starts with the signals of a shell's child, not with what this process ignores or
// blocks.
posix_spawnattr_t DefaultSignals() {
  sigset_t defaulted;
  sigset_t blocked;
  sigemptyset(&blocked);
  sigemptyset(&defaulted);
  for (const int number : {SIGINT, SIGPIPE, SIGTERM}) sigaddset(&defaulted, number);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &defaulted);
  posix_spawnattr_setsigmask(&attributes, &blocked);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
  return attributes;
}

void CloseIfOpen(int& descriptor) {
  if (descriptor >= 0) close(std::exchange(descriptor, -1));
}

}  // namespace

Process::Process(const Command& command) {
  ExecStrings arguments(command.arguments);
  ExecStrings environment(EnvironmentOf(command));
  Pipe in;
  Pipe out;
  Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in.read_end, STDIN_FILENO);
  posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  posix_spawnattr_t attributes = DefaultSignals();
  const int error = posix_spawn(&pid_, arguments.get()[0], &actions, &attributes, arguments.get(),
                                environment.get());
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  close(in.read_end);
  close(out.write_end);
  close(err.write_end);
  in_ = in.write_end;
  out_ = out.read_end;
  err_ = err.read_end;
  if (error != 0) {
    pid_ = -1;
    ending_.err = command.arguments[0] + ": " + std::strerror(error);
  }
  WriteInput(command.input);
}

Process::Process(const Command& command, int columns, int rows) {
  ExecStrings arguments(command.arguments);
  ExecStrings environment(EnvironmentOf(command));
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  pid_ = forkpty(&out_, nullptr, nullptr, &size);
  if (pid_ == 0) {
    // Nothing else may be done here: the test's other threads did not come along.
    execve(arguments.get()[0], arguments.get(), environment.get());
    _exit(127);
  }
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    Wait();
  }
  if (writer_.joinable()) writer_.join();
  CloseIfOpen(in_);
  CloseIfOpen(out_);
  CloseIfOpen(err_);
}

// On a thread, for the program may print before it has read everything.
void Process::WriteInput(std::string input) {
  // A program that ends early shall not end the test.
  signal(SIGPIPE, SIG_IGN);
  writer_ = std::thread([descriptor = std::exchange(in_, -1), input = std::move(input)] {
    std::size_t done = 0;
    while (done < input.size()) {
      const ssize_t count = write(descriptor, input.data() + done, input.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count <= 0) break;
      done += static_cast<std::size_t>(count);
    }
    close(descriptor);
  });
}

bool Process::ReadSome(Clock::time_point deadline) {
  if (out_ < 0 && err_ < 0) return false;
  pollfd polled[2] = {{out_, POLLIN, 0}, {err_, POLLIN, 0}};
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
  if (left <= 0) return false;
  if (poll(polled, 2, static_cast<int>(left)) <= 0) return Clock::now() < deadline;
  const auto take = [](const pollfd& ready, int& descriptor, std::string& text) {
    if (ready.revents == 0) return;
    char buffer[1 << 14];
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    // A terminal whose program is gone says EIO.
    if (count <= 0) {
      CloseIfOpen(descriptor);
    } else {
      text.append(buffer, static_cast<std::size_t>(count));
    }
  };
  take(polled[0], out_, ending_.out);
  take(polled[1], err_, ending_.err);
  return true;
}

std::optional<std::string> Process::WaitForLine(const std::string& start) {
  const auto deadline = Clock::now() + kPatience;
  std::size_t line = 0;
  for (;;) {
    for (auto end = ending_.out.find('\n', line); end != std::string::npos;
         end = ending_.out.find('\n', line)) {
      if (ending_.out.compare(line, start.size(), start) == 0) {
        return ending_.out.substr(line, end - line);
      }
      line = end + 1;
    }
    if (!ReadSome(deadline)) return std::nullopt;
  }
}

bool Process::WaitForText(const std::string& text) {
  const auto deadline = Clock::now() + kPatience;
  for (;;) {
    const auto at = ending_.out.find(text, seen_);
    if (at != std::string::npos) {
      seen_ = at + text.size();
      return true;
    }
    if (!ReadSome(deadline)) return false;
  }
}

void Process::Type(const std::string& keys) {
  if (write(out_, keys.data(), keys.size()) != static_cast<ssize_t>(keys.size())) std::abort();
}

void Process::Resize(int columns, int rows) {
  winsize size{};
  size.ws_col = static_cast<unsigned short>(columns);
  size.ws_row = static_cast<unsigned short>(rows);
  ioctl(out_, TIOCSWINSZ, &size);
}

void Process::Signal(int number) {
  if (pid_ > 0) kill(pid_, number);
}

Ending Process::Wait() {
  const auto deadline = Clock::now() + kPatience;
  while (ReadSome(deadline)) {
  }
  if (pid_ > 0) {
    // The pipes are closed, so the end is near; or the patience is over.
    if (Clock::now() >= deadline) kill(pid_, SIGKILL);
    int status = 0;
    while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    pid_ = -1;
    if (WIFEXITED(status)) ending_.status = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) ending_.signal = WTERMSIG(status);
  }
  return ending_;
}

Ending RunProgram(const Command& command) { return Process(command).Wait(); }

Ending RunProgramAtTerminal(const Command& command, int columns, int rows) {
  Ending ending = Process(command, columns, rows).Wait();
  std::erase(ending.out, '\r');
  return ending;
}

}  // namespace gpusim::testing
