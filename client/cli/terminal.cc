#include "client/cli/terminal.h"

#include <cstdlib>
#include <string_view>

#include <sys/ioctl.h>
#include <unistd.h>

namespace gpusim::cli {
namespace {

std::string_view Environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

}  // namespace

Terminal DetectTerminal() {
  const bool dumb = Environment("TERM") == "dumb";
  Terminal terminal;
  terminal.is_terminal = isatty(STDOUT_FILENO) == 1;
  terminal.color = terminal.is_terminal && !dumb && Environment("NO_COLOR").empty();
  terminal.redraws = !dumb && isatty(STDERR_FILENO) == 1;
  winsize size{};
  const int sized = terminal.is_terminal ? STDOUT_FILENO : STDERR_FILENO;
  // Some terminals do not know their size and say 0 x 0.
  if (ioctl(sized, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 && size.ws_row > 0) {
    terminal.columns = size.ws_col;
    terminal.rows = size.ws_row;
  }
  return terminal;
}

}  // namespace gpusim::cli
