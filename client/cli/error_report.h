// An Error of the library as what a person reads on stderr.
#pragma once

#include <gpusim/result.h>

#include "client/cli/command.h"

namespace gpusim::cli {

// The reason in one line, then each violation on its own, indented.
Failure Report(const Error& error);

}  // namespace gpusim::cli
