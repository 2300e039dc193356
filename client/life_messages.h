// Between the types of Life and their messages, as client/messages.h.
#pragma once

#include <optional>
#include <vector>

#include <gpusim/life.h>
#include <gpusim/life_boards.h>

#include "gpusim/v1/life.pb.h"

namespace gpusim {

v1::StepRequest ToMessage(const StepRequest& request);
v1::StepManyRequest ToMessage(const StepManyRequest& request);
v1::UpdateBoardRequest ToMessage(const UpdateBoardRequest& request);
v1::StepBoardRequest ToMessage(const StepBoardRequest& request);
v1::ReadRegionRequest ToMessage(const ReadRegionRequest& request);
v1::WatchBoardRequest ToMessage(const WatchBoardRequest& request);
// Without the rows of a streamed source, which follow the header.
v1::CreateBoardHeader ToMessage(const CreateBoardRequest& request);
v1::WriteRegionHeader ToMessage(const WriteRegionRequest& request);

StepResult FromMessage(v1::StepResponse message);  // by value: boards are moved, not copied
// Fails where a column has not the length that its boards need.
Result<StepManyResult> FromMessage(v1::StepManyResponse message);
BoardState FromMessage(const v1::Board& message);
BoardProgress FromMessage(const v1::StepBoardResponse& message);
RegionHeader FromMessage(const v1::ReadRegionHeader& message);
SnapshotState FromMessage(const v1::Snapshot& message);
BoardFrame FromMessage(v1::WatchBoardResponse message);

// Parts that several of them have.
LifeFacts FromMessage(const v1::BoardFacts& message);
CellRegion FromMessage(const v1::Region& message);
PackedBoard FromMessage(v1::PackedBoard message);
Until FromMessage(const v1::Until& message);
std::optional<v1::Until> ToMessage(const Until& until);  // nothing for kNever
void Fill(const PackedBoard& board, v1::PackedBoard& message);
void Fill(const RandomCells& random, v1::RandomFill& message);
void Fill(const CellOffset& at, v1::Offset& message);
void Fill(const CellRegion& region, v1::Region& message);
template <class Message>
void FillUntil(const Until& until, Message& message) {
  if (auto filled = ToMessage(until)) *message.mutable_until() = std::move(*filled);
}
template <class Message>
void FillFacts(const std::vector<LifeFact>& facts, Message& message) {
  for (const LifeFact fact : facts) message.add_facts(static_cast<v1::Fact>(fact));
}

}  // namespace gpusim
