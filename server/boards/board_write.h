// A write: a stamp onto the board, or all cells anew at random.
//
//   current cells --- copy, on the device ---> idle buffer <--- band after band: read, combined on the host, written
//                                                  |
//                                                  +---> becomes the board, when all is done
//
// Until then nobody sees any of it, and a fault leaves the board as it was. The copy is one generation of the rule
// B/S012345678, in which everything stays as it is: the cells do not leave the device.
#pragma once

#include <functional>
#include <vector>

#include "server/boards/board_store.h"
#include "server/boards/board_work.h"
#include "server/boards/stamp.h"
#include "server/kinds/resident_kind.h"

namespace gpusim::boards {

class BoardWrite final : public BoardWork {
 public:
  BoardWrite(BoardStore::WriteWishes wishes, const kinds::ResidentChunk& chunk,
             BoardStore::Done<BoardStatus> done);

  WorkPlan Plan(const BoardState& board, batching::TimePoint now) override;
  bool Begin(BoardState& board, const WorkPlan& plan, life::ResidentStep& step) override;
  void Work() override;
  void End(BoardState& board, const WorkPlan& plan, const StepResult& result,
           batching::TimePoint now) override;
  // What was accepted is written, unless its turn has not come yet.
  void Stop(StopReason /*reason*/) override {}
  void Fail(BoardError why) override;
  void Finish(const BoardStatus& board) override;

 private:
  enum class Phase : std::uint8_t { kStart, kCopy, kStamp, kFill, kDone };

  void Start(const BoardState& board);
  Result<void> StampNext();
  Result<void> FillNext();

  const BoardStore::WriteWishes wishes_;
  const kinds::ResidentChunk chunk_;
  const BoardStore::Done<BoardStatus> done_;

  Phase phase_ = Phase::kStart;
  life::DeviceCells* into_ = nullptr;
  std::vector<StampPiece> pieces_;  // a few for every MiB of the stamp
  std::size_t next_piece_ = 0;
  std::uint32_t next_row_ = 0;  // of kFill
  std::vector<std::uint64_t> stamp_words_;
  std::vector<std::uint64_t> board_words_;
  Result<void> worked_;  // of the last Work, which has no lock for error_
  std::optional<BoardError> error_;
};

}  // namespace gpusim::boards
