// The terminal's alternate screen, while something is shown on all of it.
#pragma once

#include <functional>
#include <thread>

namespace gpusim::cli {

// Stdout is a terminal. While this lives, keys come at once and are not echoed; Ctrl-C stays what
// it is. However the program ends, short of SIGKILL, the terminal is as before. One at a time.
class Screen {
 public:
  // Both are called on a thread of this object, one after the other.
  Screen(std::function<void(char)> on_key, std::function<void()> on_resize);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

 private:
  void Listen();

  const std::function<void(char)> on_key_;
  const std::function<void()> on_resize_;
  int wake_[2] = {-1, -1};  // a pipe: the destructor's way to wake the thread
  std::thread thread_;
};

// Ends the alternate screen, if there is one. Safe in a signal handler, for those who end the
// program without destructors.
void RestoreTerminal();

}  // namespace gpusim::cli
