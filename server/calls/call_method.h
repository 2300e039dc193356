// Every call of our services, by a number: what is counted and decided for each stands in arrays.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace gpusim::server {

enum class CallMethod : std::uint8_t {
  kGetOdds,
  kGetOddsColumns,
  kStreamOdds,
  kSimulate,
  kEvaluateMoves,
  kEvaluateMovesMany,
  kStep,
  kStepMany,
  kCreateBoard,
  kGetBoard,
  kUpdateBoard,
  kListBoards,
  kDeleteBoard,
  kStepBoard,
  kStopBoard,
  kReadRegion,
  kWriteRegion,
  kForkBoard,
  kSnapshotBoard,
  kRestoreBoard,
  kListSnapshots,
  kDeleteSnapshot,
  kWatchBoard,
  kGetInfo,
  kGetStatistics,
  kPing,
};

// As the protos have them, in the order of CallMethod. No two services have a method of the same name.
inline constexpr std::array<std::string_view, 26> kCallMethodNames{
    "GetOdds",        "GetOddsColumns", "StreamOdds",
    "Simulate",       "EvaluateMoves",  "EvaluateMovesMany",
    "Step",           "StepMany",       "CreateBoard",
    "GetBoard",       "UpdateBoard",    "ListBoards",
    "DeleteBoard",    "StepBoard",      "StopBoard",
    "ReadRegion",     "WriteRegion",    "ForkBoard",
    "SnapshotBoard",  "RestoreBoard",   "ListSnapshots",
    "DeleteSnapshot", "WatchBoard",     "GetInfo",
    "GetStatistics",  "Ping",
};
inline constexpr std::size_t kCallMethods = kCallMethodNames.size();
static_assert(static_cast<std::size_t>(CallMethod::kPing) + 1 == kCallMethods);

constexpr std::string_view NameOf(CallMethod method) {
  return kCallMethodNames[static_cast<std::size_t>(method)];
}

}  // namespace gpusim::server
