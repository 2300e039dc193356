#include "server/kinds/kinds.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "kernels/camel_up.h"
#include "kernels/rules/camel_up_leg.h"
#include "server/kinds/camel_up_kind.h"
#include "server/kinds/life_kind.h"
#include "server/kinds/ping_kind.h"
#include "server/kinds/resident_kind.h"

namespace gpusim::kinds {
namespace {

using camel_up::Edition;

constexpr std::uint64_t kLargestLegMoves = camel_up::TreeMoves(Edition::kSecond, 6, true);

// Legs late in the game are so short that a chunk's work would allow tens of thousands of rows;
// more than this gains nothing, and the columns are pinned memory.
constexpr std::size_t kCamelUpRows = 4096;
// A batch's rows are of both methods, in any mixture.
constexpr std::size_t kSimulationRows = kCamelUpRows;
constexpr std::size_t kLifeBoards = 4096;
constexpr std::size_t kLifeWords = kLifeBoards * 64;  // a full batch of 64 x 64 boards
// So that boards which end by a condition, and are looked at in every generation, keep a device busy.
constexpr std::size_t kLifeFacts = 16 * kLifeBoards;
constexpr std::uint64_t kPingRows = 4096;

// A rule besides Conway's, which backends treat apart.
constexpr life::Rule kHighLife{1u << 3 | 1u << 6, 1u << 2 | 1u << 3};
constexpr life::FactSet kAllFacts =
    life::kCountChanges | life::kFindBox | life::kMakeDigest | life::kMakeShapeDigest;

// Hears nothing: a warm-up's answers are for nobody.
template <class Task>
class NoListener final : public Listener<Task> {
 public:
  void OnTaskFinished(Task& /*task*/, batching::Outcome /*outcome*/) override {}
};

camel_up::OddsQuery StartOf(Edition edition, camel_up::Scope scope) {
  camel_up::Position position{.edition = edition, .stacks = {}, .tiles = {}, .dice = {}};
  for (int camel = 0; camel < camel_up::CamelsOf(edition); ++camel)
    position.stacks.push_back({camel + 1, {static_cast<camel_up::Camel>(camel)}});
  for (int die = 0; die < camel_up::DiceOf(edition); ++die)
    position.dice.push_back(static_cast<camel_up::Die>(die));
  return {camel_up::Encode(position), scope};
}

// Exact and simulated, legs and races, in one batch.
tl::expected<void, std::string> WarmUpCamelUp(Slot& slot, std::span<const Edition> races) {
  using camel_up::Scope;
  NoListener<CamelUpTask> nobody;
  const batching::Terms kNoHurry;
  constexpr CamelUpChunk kAll{
      .rows = 4, .moves = 8 * kLargestLegMoves, .simulated_moves = 1'000'000};
  std::vector<camel_up::OddsQuery> exact;
  std::vector<std::unique_ptr<CamelUpTask>> tasks;
  for (const Edition edition : {Edition::kFirst, Edition::kSecond}) {
    exact.push_back(StartOf(edition, Scope::kLeg));
    for (const Scope scope : {Scope::kLeg, Scope::kRace}) {
      const SimulationRun run{
          .query = StartOf(edition, scope), .base = {}, .offset = 0, .first = 0, .count = 1000};
      tasks.push_back(std::make_unique<SimulationTask>(run, kAll, kNoHurry, nobody));
    }
  }
  for (const Edition edition : races) exact.push_back(StartOf(edition, Scope::kRace));
  tasks.push_back(std::make_unique<ExactTask>(std::move(exact), kAll, kNoHurry, nobody));

  std::vector<batching::Task*> batch;
  batch.reserve(tasks.size());
  for (const auto& task : tasks) batch.push_back(task.get());
  std::vector<batching::Chunk> chunks(batch.size());
  CamelUpRunner(slot).Run(batch, chunks);
  if (chunks.back() != batching::Chunk::kDone) return tl::unexpected(tasks.back()->fault());
  return {};
}

// Boards that fill a word, and boards that do not, of Conway's rule, which backends treat apart, and of another one; with
// all facts, and without any; from cells, and made on the device.
tl::expected<void, std::string> WarmUpLife(Slot& slot) {
  NoListener<LifeTask> nobody;
  constexpr LifeChunk kTwoGenerations{.word_steps = std::uint64_t{1} << 20, .generations = 2};
  for (const std::uint32_t width : {64u, 100u, 1024u}) {
    for (const life::Topology topology : {life::Topology::kPlane, life::Topology::kTorus}) {
      for (const life::Rule rule : {life::kConway, kHighLife}) {
        for (const bool plain : {true, false}) {
          std::vector<LifeRun> runs(1);
          runs[0].board = life::Board::Empty(width, width);
          runs[0].rule = rule;
          runs[0].topology = topology;
          runs[0].generations = 2;
          runs[0].facts = plain ? life::FactSet{0} : kAllFacts;
          runs[0].source = plain ? life::Source::kCells : life::Source::kRandom;
          LifeTask task(std::move(runs), kTwoGenerations, {}, nobody);
          batching::Task* const batch = &task;
          batching::Chunk chunk{};
          LifeRunner(slot).Run({&batch, 1}, {&chunk, 1});
          if (chunk != batching::Chunk::kDone) return tl::unexpected(task.fault());
        }
      }
    }
  }
  return {};
}

// One board after another, with facts and without.
DeviceResult<void> WarmUpBoard(Backend& backend, std::size_t device, Slot& slot,
                               std::uint32_t side) {
  std::unique_ptr<life::DeviceCells> cells[3];
  for (auto& buffer : cells) {
    auto made = backend.MakeCells(device, side, side);
    if (!made) return tl::unexpected(made.error());
    buffer = *std::move(made);
  }
  if (auto filled = cells[0]->Fill(0, side, 1, std::uint64_t{1} << 31); !filled) return filled;
  for (const life::FactSet facts : {life::FactSet{0}, kAllFacts}) {
    for (const life::Topology topology : {life::Topology::kPlane, life::Topology::kTorus}) {
      for (const life::Rule rule : {life::kConway, kHighLife}) {
        life::ResidentBatch& batch = slot.resident();
        batch.Clear();
        life::ResidentStep step;
        step.from = cells[0].get();
        step.work[0] = cells[1].get();
        step.work[1] = cells[2].get();
        step.rule = rule;
        step.topology = topology;
        step.generations = 2;
        step.fact_set = facts;
        step.first_facts = batch.facts.Append();
        batch.steps.push_back(step);
        if (auto ran = slot.RunResident(); !ran) return ran;
      }
    }
  }
  return {};
}

DeviceResult<void> WarmUpBoards(Backend& backend, std::size_t device, Slot& slot) {
  for (const std::uint32_t side : {64u, 100u, 1024u}) {
    if (auto warm = WarmUpBoard(backend, device, slot, side); !warm) return warm;
  }
  return {};
}

}  // namespace

BatchSizes BatchSizesFor(const Backend& backend, std::uint64_t max_step_words) {
  const std::size_t life_words = std::max<std::size_t>(max_step_words, kLifeWords);
  return {
      .capacity = {.camel_up_rows = kCamelUpRows,
                   .simulation_rows = kSimulationRows,
                   .life_boards = kLifeBoards,
                   .life_words = life_words,
                   .life_facts = kLifeFacts,
                   .resident_boards = kLifeBoards},
      .camel_up_chunk = {.rows = kCamelUpRows,
                         .moves = std::max(backend.camel_up_chunk_moves(), kLargestLegMoves),
                         .simulated_moves = backend.camel_up_chunk_simulated_moves()},
      .life_chunk = {.word_steps = std::max(backend.life_chunk_word_steps(), max_step_words),
                     .generations = backend.life_chunk_generations(),
                     .boards = kLifeBoards,
                     .fact_rows = kLifeFacts,
                     .words = life_words,
                     .fill_steps = std::max<std::uint64_t>(
                         1, backend.life_chunk_word_steps() / backend.life_chunk_fill_words())},
      .resident_chunk = ResidentChunkFor(backend),
  };
}

std::vector<batching::KindOptions> KindsOf(const BatchSizes& sizes, std::size_t devices,
                                           const QueueLimits& limits) {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const auto limited = [&](std::string name, const batching::Cost& batch_limit) {
    return batching::KindOptions{.name = std::move(name),
                                 .batch_limit = batch_limit,
                                 .max_tasks = limits.max_tasks,
                                 .max_bytes = limits.max_bytes,
                                 .max_queued_time = limits.max_queued_time,
                                 .max_batch_delay = limits.max_batch_delay};
  };
  std::vector<batching::KindOptions> kinds(kBoards + devices);
  kinds[kCamelUp] = limited("camel_up", {.rows = sizes.capacity.camel_up_rows,
                                         .bytes = kNoLimit,
                                         .work = sizes.camel_up_chunk.moves});
  kinds[kLife] = limited("life", {.rows = sizes.capacity.life_boards,
                                  .bytes = sizes.capacity.life_words * sizeof(std::uint64_t),
                                  .work = sizes.life_chunk.word_steps});
  kinds[kPing] = limited("ping", {.rows = kPingRows, .bytes = kNoLimit, .work = kPingRows});
  for (std::size_t device = 0; device < devices; ++device) {
    kinds[kBoards + device] = {.name = "boards",
                               .batch_limit = {.rows = sizes.capacity.resident_boards,
                                               .bytes = sizes.capacity.life_facts * kFactRowBytes,
                                               .work = sizes.resident_chunk.word_steps},
                               .max_tasks = kNoLimit,
                               .max_bytes = kNoLimit};
  }
  return kinds;
}

batching::SlotRunners RunnersOf(Slot& slot, std::size_t device, std::size_t devices) {
  batching::SlotRunners runners(kBoards + devices);
  runners[kCamelUp] = std::make_unique<CamelUpRunner>(slot);
  runners[kLife] = std::make_unique<LifeRunner>(slot);
  runners[kPing] = std::make_unique<PingRunner>();
  runners[kBoards + device] = std::make_unique<ResidentRunner>(slot);
  return runners;
}

tl::expected<void, std::string> WarmUp(Backend& backend, std::size_t device, Slot& slot,
                                       std::span<const camel_up::Edition> races) {
  return WarmUpCamelUp(slot, races).and_then([&] { return WarmUpLife(slot); }).and_then([&] {
    return WarmUpBoards(backend, device, slot).map_error([](const DeviceFault& fault) {
      return fault.what;
    });
  });
}

}  // namespace gpusim::kinds
