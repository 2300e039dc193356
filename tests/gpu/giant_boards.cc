// A board from one seed on the GPU and on the CPU: equal facts after so many generations, or it fails.
//
//   giant_boards [SIDE [GENERATIONS]]     default: 65536, 1000; the CPU takes minutes for that
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/batches.h"
#include "kernels/rules/life_random.h"

namespace {

using namespace gpusim;
using Clock = std::chrono::steady_clock;

[[noreturn]] void Fail(const std::string& why) {
  std::fprintf(stderr, "giant_boards: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T Need(DeviceResult<T> result) {
  if (!result) Fail(result.error().what);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

std::vector<std::uint64_t> Run(const char* name, Backend& backend, std::uint32_t side,
                               std::uint32_t generations) {
  const auto slot = Need(backend.MakeSlot(0, {.life_facts = 1, .resident_boards = 1}, {}));
  const auto from = Need(backend.MakeCells(0, side, side));
  const auto other = Need(backend.MakeCells(0, side, side));
  auto begin = Clock::now();
  const auto passed = [&begin] {
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    begin = Clock::now();
    return seconds.count();
  };
  Need(from->Fill(0, side, 42, life::ThresholdOf(0.375)));
  const double fill = passed();
  life::ResidentBatch& batch = slot->resident();
  batch.steps.push_back({from.get(),
                         {other.get(), from.get()},
                         life::kConway,
                         life::Topology::kTorus,
                         generations,
                         0,
                         life::kCountChanges | life::kMakeDigest | life::kMakeShapeDigest,
                         0,
                         nullptr});
  batch.facts.Resize(1);
  Need(slot->RunResident());
  const double run = passed();
  const life::Facts& facts = batch.facts;
  const std::vector<std::uint64_t> answers{
      facts.At<life::kPopulation>(0), facts.At<life::kChanges>(0, 0),
      facts.At<life::kChanges>(0, 1), facts.At<life::kDigest>(0), facts.At<life::kShapeDigest>(0)};
  std::printf("%s: fill %.3f s, run %.3f s, population %" PRIu64 ", births %" PRIu64
              ", deaths %" PRIu64 ", digest %016" PRIx64 ", shape digest %016" PRIx64 "\n",
              name, fill, run, answers[0], answers[1], answers[2], answers[3], answers[4]);
  std::fflush(stdout);
  return answers;
}

}  // namespace

int main(int argc, char** argv) {
  const auto argument = [&](int i, unsigned long other) {
    return static_cast<std::uint32_t>(argc > i ? std::strtoul(argv[i], nullptr, 10) : other);
  };
  const std::uint32_t side = argument(1, 65'536);
  const std::uint32_t generations = argument(2, 1000);
  if (side == 0) Fail("SIDE has to be a number above 0");
  std::printf("%u x %u torus, B3/S23, %u generations\n", side, side, generations);
  const auto gpu = Run("GPU", *Need(MakeCudaBackend()), side, generations);
  const auto cpu = Run("CPU", *MakeCpuBackend(0), side, generations);
  if (gpu != cpu) Fail("GPU and CPU differ");
  std::printf("equal\n");
}
