// The Life part of a slot on a GPU: columns of questions and answers on both sides, and what is launched for a batch.
//
// Boards of a batch and resident boards become runs (life_run.h), in the order of their size, and go through the same
// kernels:
//
//   runs:   | warp boards | block boards | tiled boards |
//             one launch    one launch     a launch a pass, and one more where rows of facts end
#pragma once

#include <array>
#include <cstdint>
#include <memory_resource>

#include "kernels/backend.h"
#include "kernels/cuda/device_columns.h"
#include "kernels/cuda/handles.h"
#include "kernels/cuda/life_kernels.h"

namespace gpusim::cuda {

// Not thread-safe. Throws CudaError. The device has to be the current one of the calling thread.
class LifeRunner {
 public:
  // Takes all memory that it will ever need; `pinned` has to outlive it.
  LifeRunner(const SlotCapacity& capacity, int multiprocessors, std::pmr::memory_resource* pinned);

  life::StepBatch& steps() { return steps_; }
  life::ResidentBatch& residents() { return residents_; }

  // Answer the batch, asynchronously on the stream.
  void RunSteps(const Stream& stream);
  void RunResidents(const Stream& stream);

 private:
  using Runs = soa::Vector<BoardRun>;

  // Runs [begin, end) are those of a size.
  struct Section {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
    std::uint32_t count() const { return end - begin; }
  };
  Section& of(BoardSize size) { return sections_[static_cast<std::size_t>(size)]; }
  RunRange RangeOf(const Section& section) const;

  template <class RunOf>
  void Arrange(std::size_t boards, RunOf run_of);
  void ChooseStripRows();
  void NumberTilesAndParts();
  BoardRun RunOfBoard(std::size_t board) const;
  void CopyUnmoved(const Stream& stream);
  void Execute(const life::Facts& facts, const Stream& stream);
  void LaunchSmall(const life::Facts::ViewType& facts, const Stream& stream);
  void LaunchPasses(const life::Facts::ViewType& facts, const Stream& stream);

  int multiprocessors_;
  life::StepBatch steps_;
  life::ResidentBatch residents_;
  Runs runs_;
  std::array<Section, kBoardSizes> sections_;
  life::FactSet fact_set_ = 0;  // of all boards of the batch together
  bool any_cells_ = false;      // a board comes from Source::kCells
  bool any_random_ = false;
  std::uint32_t strip_rows_ = 0;
  std::uint64_t tiles_ = 0;
  std::uint64_t parts_ = 0;  // of all runs; those of tiled boards begin with first_tiled_part_
  std::uint64_t first_tiled_part_ = 0;

  DeviceColumns<Runs> device_runs_;
  DeviceColumns<life::Facts> device_facts_;
  DeviceColumns<life::Cells> cells_;
  DeviceColumns<life::Cells> next_;
  DeviceColumns<life::Cells> scratch_;
};

}  // namespace gpusim::cuda
