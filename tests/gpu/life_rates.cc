// Rates of boards on the GPU, as a slot runs them: wall time of RunResident with its answers, the median of five. Boards
// are random, 37.5% alive at first.
//
//   life_rates
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/batches.h"
#include "kernels/rules/life_random.h"

namespace {

using namespace gpusim;
using Clock = std::chrono::steady_clock;

constexpr life::Rule kHighLife{1u << 3 | 1u << 6, 1u << 2 | 1u << 3};
constexpr life::FactSet kAllFacts =
    life::kCountChanges | life::kFindBox | life::kMakeDigest | life::kMakeShapeDigest;

template <class T>
T Need(DeviceResult<T> result) {
  if (!result) {
    std::fprintf(stderr, "life_rates: %s\n", result.error().what.c_str());
    std::exit(1);
  }
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

double MedianMs(const std::function<void()>& work) {
  std::vector<double> times;
  work();
  for (int i = 0; i < 5; ++i) {
    const auto begin = Clock::now();
    work();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

struct Shape {
  const char* name;
  std::size_t boards;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t generations;
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint32_t facts_every = 0;
  life::FactSet fact_set = 0;
};

class Rates {
 public:
  explicit Rates(Backend& backend)
      : backend_(backend),
        slot_(Need(backend.MakeSlot(0, {.life_facts = 1u << 15, .resident_boards = 4096}, {}))) {}

  void Print(const Shape& shape) {
    std::vector<std::unique_ptr<life::DeviceCells>> cells;
    life::ResidentBatch& batch = slot_->resident();
    batch.Clear();
    for (std::size_t i = 0; i < shape.boards; ++i) {
      life::DeviceCells* const from = Make(shape, cells);
      life::DeviceCells* const other = Make(shape, cells);
      Need(from->Fill(0, shape.height, i, life::ThresholdOf(0.375)));
      batch.steps.push_back({from,
                             {other, from},
                             shape.rule,
                             shape.topology,
                             shape.generations,
                             shape.facts_every,
                             shape.fact_set,
                             batch.facts.size(),
                             nullptr});
      batch.facts.Resize(batch.facts.size() + life::FactRows(shape.generations, shape.facts_every));
    }
    const double ms = MedianMs([&] { Need(slot_->RunResident()); });
    const double cells_stepped =
        static_cast<double>(shape.boards) * shape.width * shape.height * shape.generations;
    std::printf(
        "%-52s %6zu x %5u x %5u x %6u generations %9.3f ms %9.4f us/generation %9.3g cells/s\n",
        shape.name, shape.boards, shape.width, shape.height, shape.generations, ms,
        1000 * ms / shape.generations, cells_stepped / (ms / 1000));
    std::fflush(stdout);
  }

  void PrintFillAndCopies() {
    constexpr std::uint32_t kSide = 65'536;
    const auto cells = Need(backend_.MakeCells(0, kSide, kSide));
    const double words = static_cast<double>(cells->words());
    const double fill = MedianMs([&] { Need(cells->Fill(0, kSide, 1, life::ThresholdOf(0.375))); });
    std::printf("fill: %.3f ms, %.3g words/s\n", fill, words / (fill / 1000));
    std::vector<std::uint64_t> host(cells->words());
    const life::WordBlock all{0, kSide, 0, kSide / 64};
    const double read = MedianMs([&] { Need(cells->Read(all, host.data())); });
    const double write = MedianMs([&] { Need(cells->Write(all, host.data())); });
    std::printf("read: %.2f GB/s, write: %.2f GB/s\n", 8 * words / read / 1e6,
                8 * words / write / 1e6);
    const life::WordBlock one{7, 1, 3, 1};
    std::printf("read of one word: %.1f us\n",
                1000 * MedianMs([&] { Need(cells->Read(one, host.data())); }));
  }

 private:
  life::DeviceCells* Make(const Shape& shape,
                          std::vector<std::unique_ptr<life::DeviceCells>>& cells) {
    return cells.emplace_back(Need(backend_.MakeCells(0, shape.width, shape.height))).get();
  }

  Backend& backend_;
  std::unique_ptr<Slot> slot_;
};

}  // namespace

int main() {
  const auto backend = Need(MakeCudaBackend());
  Rates rates(*backend);
  constexpr auto kPlane = life::Topology::kPlane;
  constexpr auto kTorus = life::Topology::kTorus;
  for (const Shape& shape : std::vector<Shape>{
           {"giant", 1, 65'536, 65'536, 64},
           {"giant, plane", 1, 65'536, 65'536, 64, life::kConway, kPlane},
           {"giant, any rule", 1, 65'536, 65'536, 64, kHighLife},
           {"giant, one generation a call", 1, 65'536, 65'536, 1},
           {"giant, 8 generations a call", 1, 65'536, 65'536, 8},
           {"giant, a row of population a generation", 1, 65'536, 65'536, 16, life::kConway, kTorus,
            1},
           {"giant, a row of all facts at the end", 1, 65'536, 65'536, 64, life::kConway, kTorus, 0,
            kAllFacts},
           {"giant, not a multiple of 64 wide", 1, 65'500, 65'536, 64},
           {"large", 1, 16'384, 16'384, 256},
           {"middle", 1, 4096, 4096, 1000},
           {"middle, any rule", 1, 4096, 4096, 1000, kHighLife},
           {"middle, plane", 1, 4096, 4096, 1000, life::kConway, kPlane},
           {"middle, a row of population a generation", 1, 4096, 4096, 1000, life::kConway, kTorus,
            1},
           {"middle, a row of all facts a generation", 1, 4096, 4096, 100, life::kConway, kTorus, 1,
            kAllFacts},
           {"many", 1024, 1000, 1000, 64},
           {"many, plane", 1024, 1000, 1000, 64, life::kConway, kPlane},
           {"many, 1024 wide", 1024, 1024, 1000, 64},
           {"smallest in tiles, alone", 1, 400, 400, 2048},
           {"largest in a block, alone", 1, 362, 341, 2048},
           {"in blocks", 1024, 256, 256, 1000},
           {"in blocks, any rule", 1024, 256, 256, 1000, kHighLife},
           {"in warps", 4096, 64, 64, 1000},
           {"in warps, any rule", 4096, 64, 64, 1000, kHighLife},
           {"in warps, plane", 4096, 64, 64, 1000, life::kConway, kPlane},
           {"in warps, 60 x 61", 4096, 60, 61, 1000},
           {"in a warp, alone", 1, 64, 64, 100'000},
           {"in a warp, alone, population a generation", 1, 64, 64, 2048, life::kConway, kTorus, 1},
           {"narrow and tall", 1, 40, 1'000'000, 256},
           {"wide and flat", 1, 40'000'000, 5, 64}})
    rates.Print(shape);
  rates.PrintFillAndCopies();
}
