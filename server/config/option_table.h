// The options as one table, from which the command line is read and --print-config written.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "server/config/server_options.h"

namespace gpusim::server {

struct OptionEntry {
  enum class Kind : std::uint8_t { kValue, kList, kSwitch };

  std::string flag;  // without dashes
  Kind kind = Kind::kValue;
  std::string help;
  std::string rule;  // what values are legal, as a fault names it
  // Takes a value, or one more of a list, into the options; false if it breaks the rule. Unused
  // for a switch.
  std::function<bool(std::string_view value)> take;
  std::function<std::string()> print;
  bool* on = nullptr;   // of a switch
  bool hidden = false;  // neither in --help nor in --print-config
};

// The entries refer to `options`, which has to outlive them.
std::vector<OptionEntry> OptionTable(ServerOptions& options);

}  // namespace gpusim::server
