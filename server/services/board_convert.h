// Between the messages about resident boards and the domain: the last place that sees their protobuf.
//
// Readers add what is wrong to `violations` and go on. All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gpusim/v1/life.pb.h"
#include "kernels/batches.h"
#include "kernels/formats/board_region.h"
#include "kernels/formats/pattern.h"
#include "kernels/life.h"
#include "kernels/violation.h"
#include "server/boards/board_types.h"
#include "server/services/life_facts.h"

namespace gpusim::server {

inline constexpr std::size_t kMaxRequestIdBytes = 128;
inline constexpr std::uint32_t kMostEntriesOfAPage = 1000;

// Whose boards they are, as boards are shown.
struct BoardOwner {
  std::string name;
  std::string address;
};

void FillBoard(const boards::BoardStatus& status, const BoardOwner& owner, v1::Board& board);
void FillSnapshot(const boards::SnapshotInfo& info, const BoardOwner& owner,
                  v1::Snapshot& snapshot);
// What is not in `set` stays unset.
void FillFacts(const boards::BoardFacts& facts, life::FactSet set, v1::BoardFacts& message);
void FillProgress(const boards::RunProgress& progress, life::FactSet set,
                  v1::StepBoardResponse& response);
v1::StopReason StopReasonOf(boards::StopReason reason);

// FACT_HASH is a fault, as it is GetBoard's alone.
life::FactSet ReadFactsOfMany(const google::protobuf::RepeatedField<int>& facts,
                              Violations& violations);
boards::RunWishes ReadRun(const v1::StepBoardRequest& request, Violations& violations);

// Of an optional number of seconds.
template <class Number>
std::optional<std::chrono::seconds> SecondsOf(bool set, Number seconds) {
  if (!set) return std::nullopt;
  return std::chrono::seconds(seconds);
}

std::optional<life::Board> ReadPacked(const v1::PackedBoard& packed, Violations& violations);
// The whole board where it is unset. Nullopt if it does not lie within the board.
std::optional<formats::Region> ReadRegion(bool set, const v1::Region& region,
                                          const boards::BoardShape& shape, Violations& violations);
// How many entries, at most kMostEntriesOfAPage.
std::size_t ReadPageSize(std::uint32_t page_size, Violations& violations);
void CheckRequestId(const std::string& id, Violations& violations);

}  // namespace gpusim::server
