// Measures the Life engines in cells a second, cells being those of the board times generations:
//
//   life_bench cpu [THREADS [LANES]]   each instruction set, or that of LANES, on THREADS threads (1), and bgolly's
//                                      QuickLife on the same soup
//   life_bench cuda                    the first GPU
//
// Boards begin as random soups of density 1/2; each line is the median of several runs, each from the soup, the first
// run left out. Of bgolly, which loads and stores files, the time of no generations is taken off that of 100. On one
// thread, and of bgolly, the time is the processor's, so that what else runs on the machine disturbs little.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <sys/resource.h>

#include "kernels/backend.h"
#include "kernels/cpu/backend_for_testing.h"
#include "kernels/cpu/life_lanes.h"
#include "kernels/formats/rle.h"

namespace {

using gpusim::Backend;
using gpusim::Slot;
namespace life = gpusim::life;
using Clock = std::chrono::steady_clock;

constexpr std::uint64_t kSeed = 1970;
constexpr std::uint64_t kHalf = std::uint64_t{1} << 31;
constexpr int kRuns = 5;

int Fail(const std::string& why) {
  std::fprintf(stderr, "life_bench: %s\n", why.c_str());
  return 1;
}

[[noreturn]] void Die(const gpusim::DeviceFault& fault) { std::exit(Fail(fault.what)); }

enum class Time { kWall, kProcessor, kChildren };

double Now(Time time) {
  if (time == Time::kWall)
    return std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
  rusage usage{};
  getrusage(time == Time::kProcessor ? RUSAGE_SELF : RUSAGE_CHILDREN, &usage);
  return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

template <class Work>
double Seconds(Time time, Work&& work) {
  const double begin = Now(time);
  work();
  return Now(time) - begin;
}

// One thread's processor time, or what the clock says.
Time TimeOf(const Backend& backend) {
  return backend.devices()[0].threads == 1 ? Time::kProcessor : Time::kWall;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// `boards` equal boards, resident or of a batch.
struct Load {
  const char* name;
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t generations;
  std::uint32_t boards = 1;
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint32_t facts_every = 0;
  life::FactSet fact_set = 0;

  double cells() const { return static_cast<double>(width) * height * generations * boards; }
};

constexpr life::Rule kHighLife{1u << 3 | 1u << 6, 1u << 2 | 1u << 3};
constexpr life::FactSet kBoxAndDigest = life::kCountChanges | life::kFindBox | life::kMakeDigest;

std::unique_ptr<Slot> SlotFor(Backend& backend, const Load& load, bool batch) {
  const std::uint64_t words = life::WordsPerRow(load.width) * load.height * load.boards;
  auto slot = backend.MakeSlot(
      0,
      {.life_boards = batch ? load.boards : 1,
       .life_words = batch ? words : 1,
       .life_facts = std::size_t{load.boards} * life::FactRows(load.generations, load.facts_every),
       .resident_boards = load.boards},
      {});
  if (!slot) Die(slot.error());
  return std::move(*slot);
}

double ResidentSeconds(Backend& backend, const Load& load) {
  const auto slot = SlotFor(backend, load, false);
  std::vector<std::unique_ptr<life::DeviceCells>> cells;
  for (int i = 0; i < 2; ++i) {
    auto made = backend.MakeCells(0, load.width, load.height);
    if (!made) Die(made.error());
    cells.push_back(std::move(*made));
  }
  std::vector<double> seconds;
  for (int run = 0; run <= kRuns; ++run) {
    if (auto filled = cells[0]->Fill(0, load.height, kSeed, kHalf); !filled) Die(filled.error());
    life::ResidentBatch& batch = slot->resident();
    batch.Clear();
    batch.steps.push_back({cells[0].get(),
                           {cells[1].get(), cells[0].get()},
                           load.rule,
                           load.topology,
                           load.generations,
                           load.facts_every,
                           load.fact_set});
    batch.facts.Resize(life::FactRows(load.generations, load.facts_every));
    const double run_seconds = Seconds(TimeOf(backend), [&] {
      if (auto ran = slot->RunResident(); !ran) Die(ran.error());
    });
    if (run > 0) seconds.push_back(run_seconds);
  }
  return Median(seconds);
}

double BatchSeconds(Backend& backend, const Load& load) {
  const auto slot = SlotFor(backend, load, true);
  const std::uint64_t words = life::WordsPerRow(load.width) * load.height;
  life::StepBatch& batch = slot->life();
  for (std::uint32_t i = 0; i < load.boards; ++i) {
    const std::size_t row = batch.boards.Append();
    batch.boards.At<life::kFirstWord>(row) = i * words;
    batch.boards.At<life::kWidth>(row) = load.width;
    batch.boards.At<life::kHeight>(row) = load.height;
    batch.boards.At<life::kRuleMasks>(row) = life::RuleMasks(load.rule);
    batch.boards.At<life::kTopology>(row) = load.topology;
    batch.boards.At<life::kGenerations>(row) = load.generations;
    batch.boards.At<life::kFactsEvery>(row) = 0;
    batch.boards.At<life::kFirstFacts>(row) = batch.facts.Append();
    batch.boards.At<life::kFactSet>(row) = 0;
    batch.boards.At<life::kSource>(row) = life::Source::kRandom;
    batch.boards.At<life::kSeed>(row) = kSeed + i;
    batch.boards.At<life::kThreshold>(row) = kHalf;
  }
  batch.cells.Resize(load.boards * words);
  std::vector<double> seconds;
  for (int run = 0; run <= kRuns; ++run) {
    const double run_seconds = Seconds(TimeOf(backend), [&] {
      if (auto ran = slot->RunLife(); !ran) Die(ran.error());
    });
    if (run > 0) seconds.push_back(run_seconds);
  }
  return Median(seconds);
}

double Measure(Backend& backend, const std::string& engine, const Load& load) {
  const double seconds =
      load.boards == 1 ? ResidentSeconds(backend, load) : BatchSeconds(backend, load);
  std::printf("%-10s %-36s %9.3f ms  %9.3e cells/s\n", engine.c_str(), load.name, seconds * 1e3,
              load.cells() / seconds);
  std::fflush(stdout);
  return load.cells() / seconds;
}

constexpr Load kSoup{"4096x4096 torus x100", 4096, 4096, 100};

void MeasureFill(Backend& backend, const std::string& engine) {
  auto cells = backend.MakeCells(0, 16384, 16384);
  if (!cells) Die(cells.error());
  std::vector<double> seconds;
  for (int run = 0; run <= kRuns; ++run) {
    const double run_seconds = Seconds(TimeOf(backend), [&] {
      if (auto filled = (*cells)->Fill(0, 16384, kSeed, kHalf); !filled) Die(filled.error());
    });
    if (run > 0) seconds.push_back(run_seconds);
  }
  std::printf("%-10s %-36s %9.3f ms  %9.3e cells/s\n", engine.c_str(), "16384x16384 random fill",
              Median(seconds) * 1e3, 16384.0 * 16384.0 / Median(seconds));
}

// Cells a second of bgolly, 0 where there is none.
double MeasureGolly() {
  const std::string program = "/usr/bin/bgolly";
  if (!std::filesystem::exists(program)) {
    std::printf("bgolly (Debian's package golly) is not installed\n");
    return 0;
  }
  const auto backend = gpusim::MakeCpuBackend(1);
  auto cells = backend->MakeCells(0, kSoup.width, kSoup.height).value();
  life::Board board = life::Board::Empty(kSoup.width, kSoup.height);
  const auto row_words = static_cast<std::uint32_t>(life::WordsPerRow(kSoup.width));
  if (!cells->Fill(0, kSoup.height, kSeed, kHalf) ||
      !cells->Read({0, kSoup.height, 0, row_words}, board.words.data()))
    return 0;
  namespace formats = gpusim::formats;
  const formats::RleHeader header{
      .rule = life::kConway,
      .grid = formats::BoundedGrid{life::Topology::kTorus, kSoup.width, kSoup.height},
      .golly_position =
          formats::Cell{-std::int64_t{kSoup.width / 2}, -std::int64_t{kSoup.height / 2}},
      .generation = 0};
  const auto text =
      formats::WriteRle(board, formats::WholeBoard(board), header, std::size_t{1} << 30);
  std::string folder = (std::filesystem::temp_directory_path() / "life-bench-XXXXXX").string();
  if (!text || mkdtemp(folder.data()) == nullptr) return 0;
  std::ofstream(folder + "/soup.rle", std::ios::binary) << *text;
  const auto seconds = [&](std::uint32_t generations) {
    const std::string command = program + " -a QuickLife -q -q -i " +
                                std::to_string(std::max(generations, 1u)) + " -m " +
                                std::to_string(generations) + " -o " + folder + "/out.rle " +
                                folder + "/soup.rle >/dev/null 2>&1";
    return Seconds(Time::kChildren, [&] {
      if (std::system(command.c_str()) != 0) std::exit(Fail("bgolly failed"));
    });
  };
  std::vector<double> differences;
  for (int run = 0; run < kRuns; ++run)
    differences.push_back(seconds(kSoup.generations) - seconds(0));
  std::filesystem::remove_all(folder);
  const double rate = kSoup.cells() / Median(differences);
  std::printf("%-10s %-36s %9.3f ms  %9.3e cells/s\n", "bgolly", kSoup.name,
              Median(differences) * 1e3, rate);
  std::fflush(stdout);
  return rate;
}

int RunCpu(int threads, const std::string& name) {
  const double golly = MeasureGolly();
  for (const life::Lanes* lanes : life::AvailableLanes()) {
    if (!name.empty() && name != lanes->name) continue;
    const auto backend = gpusim::MakeCpuBackendForTesting(threads, *lanes);
    const double rate = Measure(*backend, lanes->name, kSoup);
    if (golly > 0) std::printf("%-10s %.1f times bgolly\n", lanes->name, rate / golly);
    for (const Load& load : {
             Load{"4096x4096 plane x100", 4096, 4096, 100, 1, life::kConway,
                  life::Topology::kPlane},
             Load{"4096x4096 torus x100, B36/S23", 4096, 4096, 100, 1, kHighLife},
             Load{"  population each generation", 4096, 4096, 100, 1, life::kConway,
                  life::Topology::kTorus, 1},
             Load{"  changes, box, digest each", 4096, 4096, 20, 1, life::kConway,
                  life::Topology::kTorus, 1, kBoxAndDigest},
             Load{"  and shape digest", 4096, 4096, 4, 1, life::kConway, life::Topology::kTorus, 1,
                  kBoxAndDigest | life::kMakeShapeDigest},
             Load{"65536x65536 torus x16", 65536, 65536, 16},
             Load{"1000x1000 torus x1000", 1000, 1000, 1000},
             Load{"64x64 torus x100000", 64, 64, 100'000},
             Load{"1024 of 64x64 torus x1000", 64, 64, 1000, 1024},
             Load{"64 of 1000x1000 torus x100", 1000, 1000, 100, 64},
         })
      Measure(*backend, lanes->name, load);
    MeasureFill(*backend, lanes->name);
  }
  return 0;
}

int RunCuda() {
  const auto backend = gpusim::MakeCudaBackend();
  if (!backend) return Fail(backend.error().what);
  std::printf("%s\n", (*backend)->devices()[0].name.c_str());
  for (const Load& load : {
           Load{"65536x65536 torus x512", 65536, 65536, 512},
           Load{"65536x65536 torus x512, B36/S23", 65536, 65536, 512, 1, kHighLife},
           Load{"16384x16384 torus x4096", 16384, 16384, 4096},
           Load{"4096x4096 torus x4096", 4096, 4096, 4096},
           Load{"4096x4096 torus x4096, B36/S23", 4096, 4096, 4096, 1, kHighLife},
           Load{"4096x4096 torus, population each", 4096, 4096, 1024, 1, life::kConway,
                life::Topology::kTorus, 1},
           Load{"64x64 torus x100000", 64, 64, 100'000},
           Load{"4096 of 64x64 torus x1000", 64, 64, 1000, 4096},
           Load{"1024 of 1000x1000 torus x1000", 1000, 1000, 1000, 1024},
       })
    Measure(**backend, "cuda", load);
  MeasureFill(**backend, "cuda");
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string engine = argc > 1 ? argv[1] : "";
  if (engine == "cuda" && argc == 2) return RunCuda();
  if (engine == "cpu" && argc <= 4)
    return RunCpu(argc > 2 ? std::atoi(argv[2]) : 1, argc > 3 ? argv[3] : "");
  return Fail("usage: life_bench cpu [THREADS [LANES]] | cuda");
}
