// Who looks at the output: a person at a terminal sees colours, bars and pictures, a pipe gets
// plain text.
#pragma once

namespace gpusim::cli {

struct Terminal {
  bool is_terminal = false;  // stdout
  bool color = false;        // only at a terminal, and NO_COLOR is unset or empty
  bool redraws = false;      // stderr: a terminal that moves its cursor, for progress
  int columns = 80;
  int rows = 24;
};

// Of this process's stdout and stderr. The size is that of stdout if that is a terminal.
Terminal DetectTerminal();

}  // namespace gpusim::cli
