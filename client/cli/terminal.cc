#include "client/cli/terminal.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <string>
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

bool LocaleHasUtf8(std::string_view lc_all, std::string_view lc_ctype, std::string_view lang) {
  const std::string_view locale = !lc_all.empty() ? lc_all : !lc_ctype.empty() ? lc_ctype : lang;
  std::string name(locale.substr(0, locale.find('@')));
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return name.ends_with(".utf-8") || name.ends_with(".utf8");
}

Terminal DetectTerminal() {
  const bool dumb = Environment("TERM") == "dumb";
  Terminal terminal;
  terminal.is_terminal = isatty(STDOUT_FILENO) == 1;
  terminal.color = terminal.is_terminal && !dumb && Environment("NO_COLOR").empty();
  terminal.utf8 =
      LocaleHasUtf8(Environment("LC_ALL"), Environment("LC_CTYPE"), Environment("LANG"));
  terminal.redraws = !dumb && isatty(STDERR_FILENO) == 1;
  return SizedAsNow(terminal);
}

Terminal SizedAsNow(Terminal terminal) {
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
