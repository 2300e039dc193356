// gpusim-client life soups
#pragma once

#include <memory>

#include "client/cli/command.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

// Adds its options to `app`, which has to outlive it.
std::unique_ptr<Command> MakeLifeSoups(CLI::App& app);

}  // namespace gpusim::cli
