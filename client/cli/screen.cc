#include "client/cli/screen.h"

#include <atomic>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace gpusim::cli {
namespace {

constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l\x1b[2J";  // and no cursor
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr int kEndings[] = {SIGTERM, SIGHUP, SIGQUIT};

// For the signal handlers, which know no object.
std::atomic<bool> entered{false};
std::atomic<bool> keys_changed{false};
termios keys_before{};
struct sigaction actions_before[std::size(kEndings)];

void Put(std::string_view text) {
  const ssize_t written = write(STDOUT_FILENO, text.data(), text.size());
  static_cast<void>(written);  // a terminal that is gone needs nothing
}

void EndBySignal(int number) {
  RestoreTerminal();
  signal(number, SIG_DFL);
  raise(number);
}

void CatchEndings() {
  struct sigaction action {};
  action.sa_handler = EndBySignal;
  for (std::size_t i = 0; i < std::size(kEndings); ++i)
    sigaction(kEndings[i], &action, &actions_before[i]);
}

void ReleaseEndings() {
  for (std::size_t i = 0; i < std::size(kEndings); ++i)
    sigaction(kEndings[i], &actions_before[i], nullptr);
}

void TakeKeys() {
  if (tcgetattr(STDIN_FILENO, &keys_before) != 0) return;
  termios keys = keys_before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  // A stopped program would leave the shell on this screen.
  keys.c_cc[VSUSP] = _POSIX_VDISABLE;
  keys.c_cc[VMIN] = 1;
  keys.c_cc[VTIME] = 0;
  keys_changed = true;
  tcsetattr(STDIN_FILENO, TCSANOW, &keys);
}

std::pair<int, int> Size() {
  winsize size{};
  ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
  return {size.ws_col, size.ws_row};
}

}  // namespace

void RestoreTerminal() {
  if (keys_changed.exchange(false)) tcsetattr(STDIN_FILENO, TCSANOW, &keys_before);
  if (entered.exchange(false)) Put(kLeave);
}

Screen::Screen(std::function<void(char)> on_key, std::function<void()> on_resize)
    : on_key_(std::move(on_key)), on_resize_(std::move(on_resize)) {
  if (pipe2(wake_, O_CLOEXEC) != 0) wake_[0] = wake_[1] = -1;
  CatchEndings();
  TakeKeys();
  entered = true;
  Put(kEnter);
  if (wake_[1] >= 0) thread_ = std::thread([this] { Listen(); });
}

Screen::~Screen() {
  if (wake_[1] >= 0) close(wake_[1]);
  if (thread_.joinable()) thread_.join();
  if (wake_[0] >= 0) close(wake_[0]);
  RestoreTerminal();
  ReleaseEndings();
}

// Sizes are looked at rather than waited for: SIGWINCH would interrupt the calls of all threads.
void Screen::Listen() {
  constexpr int kLookMs = 200;
  auto size = Size();
  pollfd polled[2] = {{wake_[0], POLLIN, 0}, {STDIN_FILENO, POLLIN, 0}};
  for (;;) {
    poll(polled, 2, kLookMs);
    if (polled[0].revents != 0) return;
    if (polled[1].revents != 0) {
      char key = 0;
      if (read(STDIN_FILENO, &key, 1) == 1) {
        on_key_(key);
      } else {
        polled[1].fd = -1;  // nobody types any more
      }
    }
    if (const auto now = Size(); now != size) {
      size = now;
      on_resize_();
    }
  }
}

}  // namespace gpusim::cli
