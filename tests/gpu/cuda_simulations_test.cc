// Simulations on the GPU: bit for bit like the CPU's from warm states and from registers, in any cut and
// batch; and in the long run equal to the exact odds.
#include <gtest/gtest.h>

#include "kernels/backend.h"
#include "tests/gpu/cuda_backends.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/race_truths.h"

namespace gpusim {
namespace {

using camel_up::Scope;
using testing::Cases;
using testing::SimulationRow;

constexpr SlotCapacity kRows{
    .camel_up_rows = 64, .simulation_rows = 2048, .life_boards = 1, .life_words = 64};
constexpr camel_up::StreamBase kWarm{.seed = 0x1234'5678'9abc'def0, .subsequence = 77'000};

class CudaSimulations : public testing::CudaBackends {
 protected:
  void SetUp() override {
    CudaBackends::SetUp();
    gpu_slot_ = cuda_->MakeSlot(0, kRows, kWarm).value();
    cpu_slot_ = cpu_->MakeSlot(0, kRows, kWarm).value();
  }

  void ExpectLikeTheCpu(const std::vector<SimulationRow>& rows, std::size_t gpu_rows) {
    const auto gpu = testing::SimulateOnSlot(*gpu_slot_, rows, gpu_rows);
    const auto cpu = testing::SimulateOnSlot(*cpu_slot_, rows, 2048);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      testing::ExpectSameTallies(gpu[i], cpu[i], testing::Describe(rows[i]));
      if (HasFailure()) return;
    }
  }

  std::unique_ptr<Slot> gpu_slot_, cpu_slot_;
};

// Short and long rows, legs and races, both editions, all in the same batches.
TEST_F(CudaSimulations, RandomRowsLikeTheCpu) {
  std::mt19937_64 random(8);
  std::vector<SimulationRow> rows;
  for (std::size_t i = 0; i < Cases(4000); ++i) {
    const auto count = static_cast<std::uint32_t>(1 + random() % (i % 50 == 0 ? 200'000 : 500));
    rows.push_back(testing::RandomSimulationRow(static_cast<int>(1 + i % 2), count, random));
  }
  ExpectLikeTheCpu(rows, 2048);
  const std::vector<SimulationRow> few(rows.begin(), rows.begin() + 8);
  ExpectLikeTheCpu(few, 1);
  ExpectLikeTheCpu(few, 3);
}

TEST_F(CudaSimulations, LanesAndRowsWrap) {
  const reference::Position start{
      2, {{1, "rbg"}, {2, "yp"}, {15, "w"}, {16, "k"}}, {{5, 1}}, "rbgyp*"};
  std::vector<SimulationRow> rows;
  for (const Scope scope : {Scope::kLeg, Scope::kRace}) {
    for (const std::uint64_t offset : {0ull, (1ull << 32) - 8, (1ull << 61) + 5}) {
      for (const std::uint64_t first : {65'535ull, 131'070ull, (1ull << 40) - 2})
        rows.push_back({start, scope, {9, (1ull << 48) - 1, offset}, first, 4});
      for (const std::uint32_t count : {1u, 127u, 128u, 129u, 65'535u, 65'536u, 65'537u})
        rows.push_back({start, scope, {9, 1, offset}, 0, count});
    }
  }
  rows.push_back({start, Scope::kLeg, {9, 1, 3}, 70'000, 33 * 65'536 + 1});  // more than one run
  ExpectLikeTheCpu(rows, 2048);
}

// Rows of the slot's own stream, batch after batch ahead, then one behind where the states stand; between them
// rows of other streams. The CPU has no states, so its bits are those of the registers.
TEST_F(CudaSimulations, WarmStatesGiveTheSameBitsAsRegisters) {
  std::mt19937_64 random(12);
  std::uint64_t offset = 0;
  for (std::size_t batch = 0; batch < Cases(60) / 2; ++batch) {
    std::vector<SimulationRow> rows;
    for (int i = 0; i < 6; ++i) {
      SimulationRow row = testing::RandomSimulationRow(
          1 + i % 2, static_cast<std::uint32_t>(1 + random() % 100'000), random);
      if (i % 3 != 2) row.stream = {kWarm.seed, kWarm.subsequence, offset};
      if (i == 4) row.stream.subsequence += 1;  // the lanes overlap, the stream is another
      offset += camel_up::RowsOf(row.first + row.count) * camel_up::kRaceBlocks;
      rows.push_back(row);
    }
    if (batch % 5 == 4) rows[0].stream.offset /= 2;
    if (batch == 10) offset = (1ull << 32) - 20;
    if (batch == 20) offset = 1ull << 50;
    ExpectLikeTheCpu(rows, 2048);
    if (HasFailure()) return;
  }
}

// Too much for compute-sanitizer.
class CudaLongRuns : public CudaSimulations {};

TEST_F(CudaLongRuns, TheSameBitsWhateverTheCuts) {
  std::mt19937_64 random(31);
  for (int i = 0; i < 4; ++i) {
    const SimulationRow whole = testing::RandomSimulationRow(1 + i % 2, 5'000'001, random);
    const auto expected = testing::SimulateOnSlot(*gpu_slot_, {whole}, 1).front();
    for (const std::uint32_t cut : {1u, 65'537u, 2'097'153u, 4'999'999u}) {
      SimulationRow head = whole;
      head.count = cut;
      SimulationRow tail = whole;
      tail.first += cut;
      tail.count -= cut;
      const auto parts = testing::SimulateOnSlot(*gpu_slot_, {head, tail}, 1 + cut % 2);
      testing::ExpectSameTallies(testing::Sum(parts[0], parts[1]), expected,
                                 testing::Describe(whole) + " cut at " + std::to_string(cut));
    }
  }
}

TEST_F(CudaLongRuns, AThousandMillionLegsFitTheExactOdds) {
  for (const auto& position : testing::ChiSquarePositions())
    testing::ExpectLegsFitExactOdds(*gpu_slot_, position, 1'000'000'000);
}

TEST_F(CudaLongRuns, AHundredMillionRacesFitTheTruths) {
  for (const auto& truth : testing::SomeRaceTruths())
    testing::ExpectRacesFit(*gpu_slot_, truth, 100'000'000);
}

}  // namespace
}  // namespace gpusim
