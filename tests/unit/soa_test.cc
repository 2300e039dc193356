// The layout that the OpenFPM article draws: 100 elements, a scalar, a vector and a tensor
// property.
#include <gtest/gtest.h>

#include "kernels/soa/vector.h"

namespace gpusim::soa {
namespace {

using Particles = Vector<float, float[2], float[2][2]>;

// Counts what is allocated, and fails on demand.
class CountingMemory : public std::pmr::memory_resource {
 public:
  std::size_t live_bytes = 0;
  int allocations_left = 1000;

 private:
  void* do_allocate(std::size_t bytes, std::size_t alignment) override {
    if (allocations_left-- <= 0) throw std::bad_alloc();
    live_bytes += bytes;
    return std::pmr::new_delete_resource()->allocate(bytes, alignment);
  }
  void do_deallocate(void* memory, std::size_t bytes, std::size_t alignment) override {
    live_bytes -= bytes;
    std::pmr::new_delete_resource()->deallocate(memory, bytes, alignment);
  }
  bool do_is_equal(const memory_resource& other) const noexcept override { return this == &other; }
};

template <class T>
std::ptrdiff_t BytesApart(const T& from, const T& to) {
  return reinterpret_cast<const char*>(&to) - reinterpret_cast<const char*>(&from);
}

TEST(SoaVector, StridesOfTheArticle) {
  Particles particles;
  particles.Resize(100);
  EXPECT_EQ(particles.capacity(), 128u);
  EXPECT_EQ(BytesApart(particles.At<0>(0), particles.At<0>(1)), 4);
  EXPECT_EQ(BytesApart(particles.At<1>(0, 0), particles.At<1>(0, 1)), 0x200);
  EXPECT_EQ(BytesApart(particles.At<1>(0, 0), particles.At<1>(1, 0)), 4);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(BytesApart(particles.At<2>(0, 0), particles.At<2>(0, k)),
              static_cast<std::ptrdiff_t>(k) * 0x200);
  }
}

TEST(SoaVector, GrowthDoublesAndKeepsWhatIsThere) {
  Particles particles;
  for (std::size_t i = 0; i < 1000; ++i) {
    ASSERT_EQ(particles.Append(), i);
    particles.At<0>(i) = static_cast<float>(i);
    for (std::size_t k = 0; k < 4; ++k) particles.At<2>(i, k) = static_cast<float>(i * 10 + k);
  }
  EXPECT_EQ(particles.capacity(), 1024u);
  for (std::size_t i = 0; i < 1000; ++i) {
    EXPECT_EQ(particles.At<0>(i), static_cast<float>(i));
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(particles.At<2>(i, k), static_cast<float>(i * 10 + k));
  }
}

TEST(SoaVector, GivesItsMemoryBack) {
  CountingMemory memory;
  {
    Particles particles(&memory);
    particles.Resize(100);
    EXPECT_EQ(memory.live_bytes, 128u * (4 + 8 + 16));
    Particles moved = std::move(particles);
    EXPECT_EQ(moved.size(), 100u);
    EXPECT_EQ(particles.capacity(), 0u);  // NOLINT(bugprone-use-after-move): that is the question
    particles = std::move(moved);
    EXPECT_EQ(particles.size(), 100u);
  }
  EXPECT_EQ(memory.live_bytes, 0u);
}

TEST(SoaVector, AFailedGrowthChangesNothing) {
  CountingMemory memory;
  Particles particles(&memory);
  particles.Resize(4);
  particles.At<0>(3) = 7;
  const std::size_t bytes = memory.live_bytes;
  memory.allocations_left = 1;  // of three
  EXPECT_THROW(particles.Reserve(5), std::bad_alloc);
  EXPECT_EQ(memory.live_bytes, bytes);
  EXPECT_EQ(particles.capacity(), 4u);
  EXPECT_EQ(particles.At<0>(3), 7);
}

}  // namespace
}  // namespace gpusim::soa
