// gpusim-client life step: of a pattern, which is forgotten afterwards, or of a resident board.
#pragma once

#include <memory>

#include "client/cli/command.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {

// Adds its options to `app`, which has to outlive it.
std::unique_ptr<Command> MakeLifeStep(CLI::App& app);

// The two, without what they share. `step` and `board` are read already, and outlive them.
std::unique_ptr<Command> MakePatternStep(CLI::App& app, const StepOptions& step);
std::unique_ptr<Command> MakeBoardStep(CLI::App& app, const StepOptions& step,
                                       const std::string& board);

}  // namespace gpusim::cli
