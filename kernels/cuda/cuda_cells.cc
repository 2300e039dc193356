#include "kernels/cuda/cuda_cells.h"

#include <limits>

#include "kernels/cuda/guarded.h"
#include "kernels/cuda/life_kernels.h"

namespace gpusim::cuda {
namespace {

constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

cudaMemPool_t PoolOf(int device) {
  cudaMemPool_t pool = nullptr;
  CheckCuda(cudaDeviceGetDefaultMemPool(&pool, device));
  return pool;
}

std::uint64_t Attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t value = 0;
  CheckCuda(cudaMemPoolGetAttribute(pool, attribute, &value));
  return value;
}

}  // namespace

void KeepFreedCells(int device) {
  std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
  CheckCuda(cudaMemPoolSetAttribute(PoolOf(device), cudaMemPoolAttrReleaseThreshold, &all));
}

std::uint64_t FreeForCells(int device) {
  std::size_t free = 0;
  std::size_t total = 0;
  CheckCuda(cudaSetDevice(device));
  CheckCuda(cudaMemGetInfo(&free, &total));
  cudaMemPool_t pool = PoolOf(device);
  return free + Attribute(pool, cudaMemPoolAttrReservedMemCurrent) -
         Attribute(pool, cudaMemPoolAttrUsedMemCurrent);
}

CudaCells::CudaCells(std::size_t device, std::uint32_t width, std::uint32_t height,
                     StreamPool& streams)
    : DeviceCells(device, width, height), streams_(streams) {
  streams_.Run([this](const Stream& stream) {
    void* memory = nullptr;
    CheckCuda(cudaMallocAsync(&memory, words() * kWordBytes, stream.get()));
    cells_ = static_cast<std::uint64_t*>(memory);
  });
}

// Nothing uses the cells any more: every call waited for its work.
CudaCells::~CudaCells() {
  (void)Guarded([this] {
    streams_.Run([this](const Stream& stream) { CheckCuda(cudaFreeAsync(cells_, stream.get())); });
  });
}

std::uint64_t* CudaCells::At(const life::WordBlock& block) const {
  return cells_ + block.y * life::WordsPerRow(width()) + block.word;
}

DeviceResult<void> CudaCells::Read(const life::WordBlock& block, std::uint64_t* out) const {
  if (block.size() == 0) return {};
  return Guarded([&] {
    streams_.Run([&](const Stream& stream) {
      CheckCuda(cudaMemcpy2DAsync(out, block.words * kWordBytes, At(block),
                                  life::WordsPerRow(width()) * kWordBytes, block.words * kWordBytes,
                                  block.rows, cudaMemcpyDeviceToHost, stream.get()));
    });
  });
}

DeviceResult<void> CudaCells::Write(const life::WordBlock& block, const std::uint64_t* in) {
  if (block.size() == 0) return {};
  return Guarded([&] {
    streams_.Run([&](const Stream& stream) {
      CheckCuda(cudaMemcpy2DAsync(At(block), life::WordsPerRow(width()) * kWordBytes, in,
                                  block.words * kWordBytes, block.words * kWordBytes, block.rows,
                                  cudaMemcpyHostToDevice, stream.get()));
    });
  });
}

DeviceResult<void> CudaCells::Fill(std::uint32_t y, std::uint32_t rows, std::uint64_t seed,
                                   std::uint64_t threshold) {
  return Guarded([&] {
    streams_.Run([&](const Stream& stream) {
      LaunchRandomRows(cells_, width(), y, rows, seed, threshold, stream.get());
    });
  });
}

}  // namespace gpusim::cuda
