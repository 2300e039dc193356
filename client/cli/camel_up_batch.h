// gpusim-client camel-up batch
#pragma once

#include <memory>

#include "client/cli/command.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

// Adds its options to `app`, which has to outlive it.
std::unique_ptr<Command> MakeCamelUpBatch(CLI::App& app);

}  // namespace gpusim::cli
