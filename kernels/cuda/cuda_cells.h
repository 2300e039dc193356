// Cells of a board in the memory of a GPU.
//
// Copies and fills run on streams of a pool of their own, so that neither the slots' streams nor other copies wait for
// them. Memory comes from the device's pool, which keeps what is given back: neither taking nor giving back stops what
// the device is doing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/cuda/handles.h"
#include "kernels/device_cells.h"

namespace gpusim::cuda {

// Streams of one device that nobody uses at the moment. Thread-safe.
class StreamPool {
 public:
  struct Lane {
    Stream stream;
    Event done;
  };

  explicit StreamPool(int device) : device_(device) {}

  // Calls work(stream) with the pool's device current, and blocks until what it put on the stream is done.
  template <class Work>
  void Run(const Work& work) {
    CheckCuda(cudaSetDevice(device_));
    Lane lane = Take();
    work(lane.stream);
    WaitFor(lane.stream, lane.done);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(lane));
  }

 private:
  Lane Take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return {MakeStream(), MakeEvent()};
    Lane lane = std::move(idle_.back());
    idle_.pop_back();
    return lane;
  }

  const int device_;
  std::mutex mutex_;
  std::vector<Lane> idle_;
};

// Lets the device's memory pool keep what it has.
void KeepFreedCells(int device);

// Bytes that cells may still take: free ones of the device, and those that its pool keeps.
std::uint64_t FreeForCells(int device);

class CudaCells : public life::DeviceCells {
 public:
  // Throws CudaError. The streams, of the same device, have to outlive it.
  CudaCells(std::size_t device, std::uint32_t width, std::uint32_t height, StreamPool& streams);
  ~CudaCells() override;

  std::uint64_t* data() { return cells_; }
  const std::uint64_t* data() const { return cells_; }

  DeviceResult<void> Read(const life::WordBlock& block, std::uint64_t* out) const override;
  DeviceResult<void> Write(const life::WordBlock& block, const std::uint64_t* in) override;
  DeviceResult<void> Fill(std::uint32_t y, std::uint32_t rows, std::uint64_t seed,
                          std::uint64_t threshold) override;

 private:
  std::uint64_t* At(const life::WordBlock& block) const;

  StreamPool& streams_;
  std::uint64_t* cells_ = nullptr;
};

}  // namespace gpusim::cuda
