// Race tables solved on the GPU: the CPU's bytes where the CPU is quick, the truths where it is not.
#include <cstring>

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "kernels/cuda/check.h"
#include "kernels/cuda/handles.h"
#include "kernels/cuda/race_kernel.h"
#include "tests/testing/race_tables.h"

namespace gpusim::camel_up {
namespace {

bool GoOn(const RaceSolveProgress&) { return true; }

std::unique_ptr<Backend> Gpu() {
  auto backend = MakeCudaBackend();
  if (!backend) ADD_FAILURE() << backend.error().what;
  return backend ? std::move(*backend) : nullptr;
}

template <class T>
cuda::DeviceMemory ToDevice(const std::vector<T>& values, const cuda::Stream& stream) {
  cuda::DeviceMemory memory = cuda::MakeDeviceMemory(values.size() * sizeof(T));
  cuda::CheckCuda(cudaMemcpyAsync(memory.get(), values.data(), values.size() * sizeof(T),
                                  cudaMemcpyHostToDevice, stream.get()));
  return memory;
}

std::vector<double> SumLayerOnGpu(const testing::RaceUniverse& universe, const RaceLayer& layer,
                                  RacePart part, const std::vector<double>& in) {
  const cuda::Stream stream = cuda::MakeStream();
  const auto plan = ToDevice(std::vector{cuda::RaceLayerPlan::Of(layer)}, stream);
  const auto moves = ToDevice(universe.moves(), stream);
  const auto from = ToDevice(in, stream);
  std::vector<double> out((universe.size() + 1) *
                          static_cast<std::size_t>(layer.to.count * kRaceNumbers));
  const auto to = cuda::MakeDeviceMemory(out.size() * sizeof(double));
  constexpr int kMultiprocessors = 5;  // few, so that every block walks over many shapes
  cuda::LaunchRaceLayer({universe.size(), universe.moves_of_a_shape()}, part, layer.terms_of_a_sum,
                        static_cast<const cuda::RaceLayerPlan*>(plan.get()),
                        static_cast<const RaceMove*>(moves.get()),
                        static_cast<const double*>(from.get()), static_cast<double*>(to.get()),
                        kMultiprocessors, stream.get());
  cuda::CheckCuda(cudaMemcpyAsync(out.data(), to.get(), out.size() * sizeof(double),
                                  cudaMemcpyDeviceToHost, stream.get()));
  cuda::CheckCuda(cudaStreamSynchronize(stream.get()));
  return out;
}

class CudaRaceLayers : public ::testing::TestWithParam<int> {};

TEST_P(CudaRaceLayers, HaveTheCpusBits) {
  const auto edition = static_cast<Edition>(GetParam());
  const reference::Position position =
      GetParam() == 1 ? reference::Position{1, {{11, "BGO"}, {13, "Y"}, {14, "W"}}, {}, "BGOYW"}
                      : reference::Position{2, {{14, "rwb"}, {15, "gk"}, {16, "yp"}}, {}, "rbgyp*"};
  std::string racers;
  const testing::RaceUniverse universe(edition, testing::ShapeOf(position, &racers));
  for (RacePart part : {RacePart::kSymmetric, RacePart::kAntisymmetric}) {
    auto in = universe.RandomValues(part, 3);
    for (const RaceLayer& layer : MakeRaceLayers(edition)) {
      const auto cpu = testing::SumLayerOnCpu(universe, layer, part, in);
      const auto gpu = SumLayerOnGpu(universe, layer, part, in);
      ASSERT_EQ(gpu.size(), cpu.size());
      for (std::size_t i = 0; i < cpu.size(); ++i) ASSERT_EQ(gpu[i], cpu[i]) << i;
      in = cpu;
    }
  }
}
INSTANTIATE_TEST_SUITE_P(BothEditions, CudaRaceLayers, ::testing::Values(1, 2));

TEST(CudaRaceTable, OfTheFirstEditionHasTheCpusBytes) {
  const auto gpu = Gpu()->SolveRaceTable(Edition::kFirst, 0, GoOn).value();
  const auto cpu = MakeCpuBackend(0)->SolveRaceTable(Edition::kFirst, 0, GoOn).value();
  ASSERT_EQ(gpu->bytes(), cpu->bytes());
  EXPECT_EQ(std::memcmp(gpu->rows().data(), cpu->rows().data(), cpu->bytes()), 0);
  testing::ExpectTruths(*gpu, testing::LoadFirstEditionRaces(), 2e-12);
}

TEST(CudaRaceTable, OfTheSecondEditionHasTheTruthsAndIsItsOwnMean) {
  RaceSolveProgress last;
  const auto table = Gpu()
                         ->SolveRaceTable(Edition::kSecond, 0,
                                          [&](const RaceSolveProgress& progress) {
                                            EXPECT_GE(progress.fraction, last.fraction);
                                            last = progress;
                                            return true;
                                          })
                         .value();
  EXPECT_EQ(last.fraction, 1);
  EXPECT_LE(last.missing, kMostMissing);
  testing::ExpectTruths(*table, testing::LoadSecondEditionRaces(), 1e-11);
  testing::ExpectFixedPoints(*table, 1000, 2024);
}

TEST(CudaRaceTable, StopsWhenItIsTold) {
  const auto solved = Gpu()->SolveRaceTable(
      Edition::kSecond, 0, [](const RaceSolveProgress& progress) { return progress.sweeps < 2; });
  ASSERT_TRUE(solved.has_value());
  EXPECT_EQ(*solved, nullptr);
}

// Other work has the memory; the device stays usable.
TEST(CudaRaceTable, TooLittleMemoryIsAFaultWithNumbers) {
  const auto gpu = Gpu();
  std::size_t free_bytes = 0;
  std::size_t total = 0;
  cuda::CheckCuda(cudaMemGetInfo(&free_bytes, &total));
  const auto taken = cuda::MakeDeviceMemory(free_bytes - (std::size_t{1} << 30));
  const auto solved = gpu->SolveRaceTable(Edition::kSecond, 0, GoOn);
  ASSERT_FALSE(solved.has_value());
  EXPECT_THAT(solved.error().what,
              ::testing::HasSubstr("the race table takes 10.18 GiB of GPU memory to solve, "));
  EXPECT_FALSE(solved.error().sticky);
  EXPECT_TRUE(gpu->SolveRaceTable(Edition::kFirst, 0, GoOn).has_value());
}

}  // namespace
}  // namespace gpusim::camel_up
