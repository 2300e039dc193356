// The cells of one board in the memory of a device, where they stay between calls.
//
// The words lie as life.h says, row after row: of a GPU in its own memory, of the CPU in the host's.
#pragma once

#include <cstddef>
#include <cstdint>

#include "kernels/device_fault.h"
#include "kernels/life.h"

namespace gpusim::life {

// Words [word, word + words) of each of the rows [y, y + rows). Lies within its board.
struct WordBlock {
  std::uint32_t y = 0;
  std::uint32_t rows = 0;
  std::uint32_t word = 0;
  std::uint32_t words = 0;

  std::size_t size() const { return std::size_t{rows} * words; }
};

// Every call blocks until it is done, in time that grows with the words it touches. Any number of threads may
// read at a time; while one writes, no other uses the cells. Its backend has to outlive it.
class DeviceCells {
 public:
  DeviceCells(std::size_t device, std::uint32_t width, std::uint32_t height)
      : device_(device), width_(width), height_(height) {}
  virtual ~DeviceCells() = default;
  DeviceCells(const DeviceCells&) = delete;
  DeviceCells& operator=(const DeviceCells&) = delete;

  std::size_t device() const { return device_; }
  std::uint32_t width() const { return width_; }
  std::uint32_t height() const { return height_; }
  std::uint64_t words() const { return WordsPerRow(width_) * height_; }

  // The block's words row after row, block.size() of them, to and from host memory. What is written keeps the
  // padding bits 0.
  virtual DeviceResult<void> Read(const WordBlock& block, std::uint64_t* out) const = 0;
  virtual DeviceResult<void> Write(const WordBlock& block, const std::uint64_t* in) = 0;

  // Random cells in the rows [y, y + rows), as Source::kRandom makes them; a threshold of 0 clears.
  virtual DeviceResult<void> Fill(std::uint32_t y, std::uint32_t rows, std::uint64_t seed,
                                  std::uint64_t threshold) = 0;

 private:
  const std::size_t device_;
  const std::uint32_t width_;
  const std::uint32_t height_;
};

}  // namespace gpusim::life
