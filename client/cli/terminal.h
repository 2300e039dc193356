// Who looks at the output: a person at a terminal sees colours, bars and pictures, a pipe gets
// plain text.
#pragma once

#include <string_view>

namespace gpusim::cli {

struct Terminal {
  bool is_terminal = false;  // stdout
  bool color = false;        // only at a terminal, and NO_COLOR is unset or empty
  bool redraws = false;      // stderr: a terminal that moves its cursor, for progress
  bool utf8 = true;          // what the locale's characters are; else bars and pictures are ASCII
  int columns = 80;
  int rows = 24;
};

// Whether a locale of this environment has UTF-8: the first of LC_ALL, LC_CTYPE and LANG that is
// set says so.
bool LocaleHasUtf8(std::string_view lc_all, std::string_view lc_ctype, std::string_view lang);

// Of this process's stdout and stderr. The size is that of stdout if that is a terminal.
Terminal DetectTerminal();

// The same terminal, which may have been resized.
Terminal SizedAsNow(Terminal terminal);

}  // namespace gpusim::cli
