// The OpenFPM article's example on our columns: 100 particles with a scalar, a vector and a tensor
// property, copied to the device property by property, and particle 50 read by a plain kernel
// through raw pointers and the capacity.
#include <gtest/gtest.h>

#include "kernels/cuda/device_columns.h"

namespace gpusim {
namespace {

using Particles = soa::Vector<float, float[2], float[2][2]>;

__global__ void ReadParticle50(const float* scalar, const float* vector, const float* tensor,
                               int capacity, float* seen) {
  const int p = static_cast<int>(threadIdx.x + blockIdx.x * blockDim.x);
  if (p != 50) return;
  seen[0] = scalar[p];
  for (int i = 0; i < 2; ++i) seen[1 + i] = vector[p + i * capacity];
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 2; ++j) seen[3 + i * 2 + j] = tensor[p + (i * 2 + j) * capacity];
}

__global__ void DoubleVector(soa::View<float, float[2], float[2][2]> particles) {
  const std::size_t p = threadIdx.x + blockIdx.x * blockDim.x;
  if (p >= particles.size()) return;
  for (std::size_t k = 0; k < 2; ++k) particles.At<1>(p, k) *= 2;
}

class SoaGpuTest : public ::testing::Test {
 protected:
  SoaGpuTest() : particles_(&pinned_) {
    particles_.Resize(100);
    for (std::size_t i = 0; i < 100; ++i) {
      const float x = static_cast<float>(i) * 0.25f;
      const float y = static_cast<float>(100 - i);
      particles_.At<0>(i) = x + y;
      particles_.At<1>(i, 0) = x;
      particles_.At<1>(i, 1) = y;
      particles_.At<2>(i, 0) = x;
      particles_.At<2>(i, 1) = y;
      particles_.At<2>(i, 2) = x + y;
      particles_.At<2>(i, 3) = y - x;
    }
  }

  cuda::PinnedMemory pinned_;
  Particles particles_;
  cuda::Stream stream_ = cuda::MakeStream();
  cuda::Event done_ = cuda::MakeEvent();
};

TEST_F(SoaGpuTest, PlainKernelReadsParticle50) {
  const cuda::DeviceColumns<Particles> device(particles_.capacity());
  EXPECT_EQ(device.capacity(), 128u);
  device.CopyToDevice<0, 1, 2>(particles_, stream_);
  const auto view = device.view(100);
  EXPECT_EQ(reinterpret_cast<const char*>(view.Column<1>(1)) -
                reinterpret_cast<const char*>(view.Column<1>(0)),
            0x200);
  EXPECT_EQ(reinterpret_cast<const char*>(view.Column<2>(3)) -
                reinterpret_cast<const char*>(view.Column<2>(0)),
            3 * 0x200);
  const cuda::DeviceMemory seen = cuda::MakeDeviceMemory(7 * sizeof(float));
  ReadParticle50<<<1, 100, 0, stream_.get()>>>(view.Column<0>(), view.Column<1>(), view.Column<2>(),
                                               static_cast<int>(view.capacity()),
                                               static_cast<float*>(seen.get()));
  cuda::CheckCuda(cudaGetLastError());
  float host[7];
  cuda::CheckCuda(
      cudaMemcpyAsync(host, seen.get(), sizeof host, cudaMemcpyDeviceToHost, stream_.get()));
  cuda::WaitFor(stream_, done_);
  const float expected[7] = {12.5f + 50.0f, 12.5f, 50.0f, 12.5f, 50.0f, 62.5f, 37.5f};
  for (int i = 0; i < 7; ++i) EXPECT_EQ(host[i], expected[i]) << i;
}

// Only what is asked for travels: the scalar stays as it was on the host, the vector comes back
// changed.
TEST_F(SoaGpuTest, CopiesOnlyThePropertiesNamed) {
  const cuda::DeviceColumns<Particles> device(1000);  // a capacity of its own
  EXPECT_EQ(device.capacity(), 1024u);
  device.CopyToDevice<1>(particles_, stream_);
  DoubleVector<<<1, 128, 0, stream_.get()>>>(device.view(100));
  cuda::CheckCuda(cudaGetLastError());
  device.CopyToHost<1>(particles_, stream_);
  cuda::WaitFor(stream_, done_);
  for (std::size_t i = 0; i < 100; ++i) {
    EXPECT_EQ(particles_.At<0>(i), static_cast<float>(i) * 0.25f + static_cast<float>(100 - i));
    EXPECT_EQ(particles_.At<1>(i, 0), static_cast<float>(i) * 0.5f);
    EXPECT_EQ(particles_.At<1>(i, 1), static_cast<float>(100 - i) * 2);
    EXPECT_EQ(particles_.At<2>(i, 3), static_cast<float>(100 - i) - static_cast<float>(i) * 0.25f);
  }
}

}  // namespace
}  // namespace gpusim
