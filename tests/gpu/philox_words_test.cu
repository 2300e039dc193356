// cuRAND has the words of the paper: seeded, skipped ahead and read on. (Random123, whose headers do not go
// together with cuRAND's, is compared with the paper in a unit test.)
#include <vector>

#include <curand_kernel.h>
#include <gtest/gtest.h>

#include "kernels/cuda/handles.h"
#include "tests/reference/philox.h"

namespace gpusim {
namespace {

struct Place {
  std::uint64_t seed;
  std::uint64_t subsequence;
  std::uint64_t block;
};

// Words of the block, made in place; by skipping there from block 0; and by reading on from the block before.
constexpr int kWays = 3;

__global__ void ReadWords(const Place* places, int count, uint4* words) {
  const int i = static_cast<int>(threadIdx.x);
  if (i >= count) return;
  const Place place = places[i];
  curandStatePhilox4_32_10_t state;
  curand_init(place.seed, place.subsequence, 4 * place.block, &state);
  words[kWays * i] = curand4(&state);
  curand_init(place.seed, place.subsequence, 0, &state);
  skipahead(4 * place.block, &state);
  words[kWays * i + 1] = curand4(&state);
  curand_init(place.seed, place.subsequence, place.block == 0 ? 0 : 4 * (place.block - 1), &state);
  if (place.block != 0) curand4(&state);
  words[kWays * i + 2] = curand4(&state);
}

TEST(CudaPhilox, SameWordsAsThePaper) {
  std::vector<Place> places;
  for (const std::uint64_t seed : {0ull, 42ull, 0x1234'5678'9abc'def0ull, ~0ull})
    for (const std::uint64_t subsequence : {0ull, 7ull, (1ull << 48) + 65'534, 7 + (1ull << 56)})
      for (const std::uint64_t block :
           {0ull, 1ull, (1ull << 32) - 1, 1ull << 32, (3ull << 32) + 5, (1ull << 62) - 1})
        places.push_back({seed, subsequence, block});
  ASSERT_LE(places.size(), 1024u);
  const cuda::Stream stream = cuda::MakeStream();
  const cuda::DeviceMemory device_places = cuda::MakeDeviceMemory(places.size() * sizeof(Place));
  std::vector<uint4> words(kWays * places.size());
  const cuda::DeviceMemory device_words = cuda::MakeDeviceMemory(words.size() * sizeof(uint4));
  cuda::CheckCuda(cudaMemcpyAsync(device_places.get(), places.data(), places.size() * sizeof(Place),
                                  cudaMemcpyHostToDevice, stream.get()));
  ReadWords<<<1, 1024, 0, stream.get()>>>(static_cast<const Place*>(device_places.get()),
                                          static_cast<int>(places.size()),
                                          static_cast<uint4*>(device_words.get()));
  cuda::CheckCuda(cudaGetLastError());
  cuda::CheckCuda(cudaMemcpyAsync(words.data(), device_words.get(), words.size() * sizeof(uint4),
                                  cudaMemcpyDeviceToHost, stream.get()));
  cuda::WaitFor(stream, cuda::MakeEvent());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Place& place = places[i];
    SCOPED_TRACE(std::to_string(place.seed) + ", " + std::to_string(place.subsequence) + ", " +
                 std::to_string(place.block));
    const auto expected = reference::Philox(place.seed, place.subsequence, place.block);
    for (int way = 0; way < kWays; ++way) {
      const uint4 w = words[kWays * i + way];
      EXPECT_EQ((reference::PhiloxBlock{w.x, w.y, w.z, w.w}), expected) << "way " << way;
    }
  }
}

}  // namespace
}  // namespace gpusim
