// One buffer of cells, with its share of the budget, and who looks at it: the boards whose cells these are (several after a
// fork) and the pins, which want them to stay.
//
// A fork costs the memory of a board and copies nothing. The new board takes the cells of the old one, and leaves one of its own
// two buffers as a deposit with them; who first goes on to other cells takes a deposit along:
//
//   board A: [cells] [work]     fork     A: [cells] [work]      A runs     A: [work] [deposit]
//                             ------->   B: [cells] [work]    ------->     B: [cells] [work]
//                                        deposit: 1                        deposit: 0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/backend.h"
#include "server/batching/mutex.h"
#include "server/boards/board_types.h"
#include "server/boards/memory_budget.h"

namespace gpusim::boards {

// Who holds a pin: a caller, for as long as it likes, or the store itself, which writes a file of it and is soon done.
enum class PinFor : std::uint8_t { kCaller, kStore };

// Thread-safe, but for the cells. Destroyed by whoever looks last, which frees the memory.
class BoardBuffer : public std::enable_shared_from_this<BoardBuffer> {
 public:
  // Allocates on the share's device, and takes the share. kNoMemory, or kDevice for a sticky fault.
  static Result<std::shared_ptr<BoardBuffer>> Make(Backend& backend, MemoryBudget::Share share,
                                                   std::uint32_t width, std::uint32_t height);
  BoardBuffer(MemoryBudget::Share share, std::unique_ptr<life::DeviceCells> cells)
      : share_(std::move(share)), cells_(std::move(cells)) {}

  life::DeviceCells& cells() { return *cells_; }
  const life::DeviceCells& cells() const { return *cells_; }
  std::size_t device() const { return share_.device(); }
  std::uint64_t bytes() const { return share_.bytes(); }

  // Whether one board has it, and nobody looks.
  bool writable() const GPUSIM_EXCLUDES(mutex_);
  bool pinned_by_store() const GPUSIM_EXCLUDES(mutex_);
  bool shared() const GPUSIM_EXCLUDES(mutex_);

  // `released` is called, once the pin is gone, by whoever let go of it.
  std::shared_ptr<const life::DeviceCells> Pin(PinFor whom, std::function<void()> released)
      GPUSIM_EXCLUDES(mutex_);

  // One more board has it.
  void Join(std::shared_ptr<BoardBuffer> deposit) GPUSIM_EXCLUDES(mutex_);
  // Null where there is none.
  std::shared_ptr<BoardBuffer> TakeDeposit() GPUSIM_EXCLUDES(mutex_);
  // Back, where there is one less than boards that could want it; else it is freed.
  void ReturnDeposit(std::shared_ptr<BoardBuffer> deposit) GPUSIM_EXCLUDES(mutex_);
  // One board less. Frees the deposit that nobody can want any more.
  void Leave() GPUSIM_EXCLUDES(mutex_);

 private:
  void Unpin(PinFor whom) GPUSIM_EXCLUDES(mutex_);

  const MemoryBudget::Share share_;  // before the cells, which are freed first
  const std::unique_ptr<life::DeviceCells> cells_;
  mutable batching::Mutex mutex_;
  std::size_t boards_ GPUSIM_GUARDED_BY(mutex_) = 1;
  std::size_t pins_[2] GPUSIM_GUARDED_BY(mutex_) = {0, 0};  // by PinFor
  std::vector<std::shared_ptr<BoardBuffer>> deposits_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace gpusim::boards
