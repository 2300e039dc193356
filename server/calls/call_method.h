// Every call of our services, by a number: what is counted and decided for each stands in arrays, who may make it among them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "server/access/role.h"

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

// The least role of its caller. What only looks is for `read`, what makes a device work or changes something for `use`; boards
// and snapshots of others are changed by an `admin` alone, of whatever call.
constexpr access::Role RoleOf(CallMethod method) {
  switch (method) {
    case CallMethod::kGetBoard:
    case CallMethod::kListBoards:
    case CallMethod::kReadRegion:
    case CallMethod::kWatchBoard:
    case CallMethod::kListSnapshots:
    case CallMethod::kGetInfo:
    case CallMethod::kGetStatistics:
    case CallMethod::kPing:
      return access::Role::kRead;
    case CallMethod::kGetOdds:
    case CallMethod::kGetOddsColumns:
    case CallMethod::kStreamOdds:
    case CallMethod::kSimulate:
    case CallMethod::kEvaluateMoves:
    case CallMethod::kEvaluateMovesMany:
    case CallMethod::kStep:
    case CallMethod::kStepMany:
    case CallMethod::kCreateBoard:
    case CallMethod::kUpdateBoard:
    case CallMethod::kDeleteBoard:
    case CallMethod::kStepBoard:
    case CallMethod::kStopBoard:
    case CallMethod::kWriteRegion:
    case CallMethod::kForkBoard:
    case CallMethod::kSnapshotBoard:
    case CallMethod::kRestoreBoard:
    case CallMethod::kDeleteSnapshot:
      return access::Role::kUse;
  }
  return access::Role::kAdmin;
}

}  // namespace gpusim::server
