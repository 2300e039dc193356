// The buffers of one board: the one that is the board now, and those that its next cells may go to. At rest it has two of its
// own; while somebody looks at old cells, or a run needs to go back, more.
//
// Not thread-safe; the board's lock guards it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "server/boards/board_buffer.h"

namespace gpusim::boards {

class BoardCells {
 public:
  BoardCells(std::shared_ptr<BoardBuffer> current, std::shared_ptr<BoardBuffer> work);
  BoardCells(BoardCells&&) = default;
  ~BoardCells();

  BoardBuffer& current() { return *current_; }
  const BoardBuffer& current() const { return *current_; }
  std::uint64_t bytes() const { return (1 + idle_.size()) * current_->bytes(); }

  // Buffers besides the current one that may be written now.
  std::size_t writable_idle() const;
  // The i-th of them; i < writable_idle().
  life::DeviceCells& Idle(std::size_t i);
  // Where a step from the current cells may go: two idle ones, or one and the current cells themselves, which are then lost.
  // False where there is no room for either.
  bool FindWork(bool keep_current, life::DeviceCells* work[2]);

  void Add(std::shared_ptr<BoardBuffer> buffer) { idle_.push_back(std::move(buffer)); }
  // Takes a fork's deposit, if the current cells have one.
  bool TakeDeposit();
  bool pinned_by_store() const;

  // One of the buffers becomes the board.
  void SetCurrent(const life::DeviceCells& cells);
  // Back to two buffers.
  void Trim();
  // The current cells for one more board, which leaves `deposit`.
  std::shared_ptr<BoardBuffer> Share(std::shared_ptr<BoardBuffer> deposit);

 private:
  std::shared_ptr<BoardBuffer> current_;
  std::vector<std::shared_ptr<BoardBuffer>> idle_;
};

}  // namespace gpusim::boards
