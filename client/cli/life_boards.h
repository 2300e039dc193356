// gpusim-client life create, list, show and the other commands about resident boards, a file each.
#pragma once

#include <memory>

#include "client/cli/command.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

// Each adds its options to `app`, which has to outlive it.
std::unique_ptr<Command> MakeLifeCreate(CLI::App& app);
std::unique_ptr<Command> MakeLifeList(CLI::App& app);
std::unique_ptr<Command> MakeLifeShow(CLI::App& app);
std::unique_ptr<Command> MakeLifeUpdate(CLI::App& app);
std::unique_ptr<Command> MakeLifeStop(CLI::App& app);
std::unique_ptr<Command> MakeLifeRead(CLI::App& app);
std::unique_ptr<Command> MakeLifeWrite(CLI::App& app);
std::unique_ptr<Command> MakeLifeRun(CLI::App& app);
std::unique_ptr<Command> MakeLifeWatch(CLI::App& app);
std::unique_ptr<Command> MakeLifeFork(CLI::App& app);
std::unique_ptr<Command> MakeLifeSnapshot(CLI::App& app);
std::unique_ptr<Command> MakeLifeSnapshots(CLI::App& app);
std::unique_ptr<Command> MakeLifeRestore(CLI::App& app);
std::unique_ptr<Command> MakeLifeDelete(CLI::App& app);

}  // namespace gpusim::cli
