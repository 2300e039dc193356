// The cells of a resident board of the CPU: pages of the host's memory.
#pragma once

#include <tbb/task_arena.h>

#include "kernels/cpu/life_lanes.h"
#include "kernels/device_cells.h"
#include "kernels/race/huge_array.h"

namespace gpusim::life {

class CpuCells : public DeviceCells {
 public:
  // Throws std::bad_alloc. The arena is where large boards are filled; it has to outlive the cells.
  CpuCells(std::uint32_t width, std::uint32_t height, const Lanes& lanes, tbb::task_arena& arena);

  DeviceResult<void> Read(const WordBlock& block, std::uint64_t* out) const override;
  DeviceResult<void> Write(const WordBlock& block, const std::uint64_t* in) override;
  DeviceResult<void> Fill(std::uint32_t y, std::uint32_t rows, std::uint64_t seed,
                          std::uint64_t threshold) override;

  std::uint64_t* data() { return memory_.data(); }
  const std::uint64_t* data() const { return memory_.data(); }

 private:
  const Lanes& lanes_;
  tbb::task_arena& arena_;
  HugeArray<std::uint64_t> memory_;
};

}  // namespace gpusim::life
