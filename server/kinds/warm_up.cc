// What makes kernels differ, and is therefore gone through:
//
//   Camel Up   exact or simulated, leg or race, edition; all in one batch
//   Life       the size of the board: one word a row, up to 2048 words, more; Conway's rule, which backends treat apart, or
//              another; plane or torus; with facts or without; cells or random; 15 generations, which are passes of 8, 4, 2 and
//              1; none, which counts alone
//   boards     the same, and reading, writing and filling cells
#include "server/kinds/warm_up.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "kernels/camel_up.h"
#include "kernels/odds.h"
#include "server/kinds/set_question.h"

namespace gpusim::kinds {
namespace {

using camel_up::Edition;
using camel_up::Scope;

// A rule besides Conway's.
constexpr life::Rule kHighLife{1u << 3 | 1u << 6, 1u << 2 | 1u << 3};
constexpr life::FactSet kAllFacts =
    life::kCountChanges | life::kFindBox | life::kMakeDigest | life::kMakeShapeDigest;
constexpr std::uint32_t kAllPasses = 15;
// One word a row; fewer than 2048 words, with padding; more.
constexpr std::uint32_t kSides[] = {64, 100, 384};
constexpr std::uint64_t kHalf = std::uint64_t{1} << 31;  // of all random cells live
// Words of a board at the most: 32 MiB.
constexpr std::uint64_t kMostWords = std::uint64_t{1} << 22;

// Nothing has moved; so many dice are still in the pyramid.
camel_up::OddsQuery StartOf(Edition edition, Scope scope, int dice) {
  camel_up::Position position{.edition = edition, .stacks = {}, .tiles = {}, .dice = {}};
  for (int camel = 0; camel < camel_up::CamelsOf(edition); ++camel)
    position.stacks.push_back({camel + 1, {static_cast<camel_up::Camel>(camel)}});
  for (int die = 0; die < dice; ++die) position.dice.push_back(static_cast<camel_up::Die>(die));
  return {camel_up::Encode(position), scope};
}

void AddExact(camel_up::OddsBatch& batch, const camel_up::OddsQuery& query) {
  SetQuestion(batch.exact, batch.exact.Append(), query);
}

void AddSimulated(camel_up::OddsBatch& batch, const camel_up::OddsQuery& query,
                  std::uint32_t count) {
  const std::size_t row = batch.simulations.Append();
  SetQuestion(batch.simulations, row, query);
  batch.simulations.At<camel_up::kSeed>(row) = 0;
  batch.simulations.At<camel_up::kSubsequence>(row) = 0;
  batch.simulations.At<camel_up::kOffset>(row) = 0;
  batch.simulations.At<camel_up::kFirst>(row) = 0;
  batch.simulations.At<camel_up::kCount>(row) = count;
}

constexpr Edition kEditions[] = {Edition::kFirst, Edition::kSecond};

// Whole legs, which are the most work a row.
DeviceResult<void> RunFewRows(Slot& slot, std::span<const Edition> races) {
  constexpr std::uint32_t kSimulations = 1000;
  camel_up::OddsBatch& batch = slot.camel_up();
  batch.Clear();
  for (const Edition edition : kEditions) {
    AddExact(batch, StartOf(edition, Scope::kLeg, camel_up::DiceOf(edition)));
    for (const Scope scope : {Scope::kLeg, Scope::kRace})
      AddSimulated(batch, StartOf(edition, scope, camel_up::DiceOf(edition)), kSimulations);
  }
  for (const Edition edition : races)
    AddExact(batch, StartOf(edition, Scope::kRace, camel_up::DiceOf(edition)));
  return slot.RunCamelUp();
}

// As many rows as there is room for, of the end of a leg, so that they are little work each.
DeviceResult<void> RunManyRows(Slot& slot, const SlotCapacity& capacity,
                               std::span<const Edition> races) {
  constexpr int kFewDice = 2;
  camel_up::OddsBatch& batch = slot.camel_up();
  batch.Clear();
  std::vector<camel_up::OddsQuery> exact;
  std::vector<camel_up::OddsQuery> simulated;
  for (const Edition edition : kEditions) {
    exact.push_back(StartOf(edition, Scope::kLeg, kFewDice));
    for (const Scope scope : {Scope::kLeg, Scope::kRace})
      simulated.push_back(StartOf(edition, scope, kFewDice));
  }
  for (const Edition edition : races) exact.push_back(StartOf(edition, Scope::kRace, kFewDice));
  for (std::size_t i = 0; i < capacity.camel_up_rows; ++i) AddExact(batch, exact[i % exact.size()]);
  for (std::size_t i = 0; i < capacity.simulation_rows; ++i)
    AddSimulated(batch, simulated[i % simulated.size()], 1);
  return slot.RunCamelUp();
}

// The columns of one board of a batch.
struct BoardOf {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint32_t generations = 0;
  std::uint32_t facts_every = 0;
  life::FactSet facts = 0;
  life::Source source = life::Source::kCells;

  std::uint64_t words() const { return life::WordsPerRow(width) * height; }
};

// All cells are dead where they are not random.
void AddBoard(life::StepBatch& batch, const BoardOf& board) {
  const std::size_t row = batch.boards.Append();
  const std::size_t first_word = batch.cells.size();
  const std::size_t first_facts = batch.facts.size();
  batch.cells.Resize(first_word + board.words());
  std::fill_n(batch.cells.Column<0>() + first_word, board.words(), 0);
  batch.facts.Resize(first_facts + life::FactRows(board.generations, board.facts_every));
  batch.boards.At<life::kFirstWord>(row) = first_word;
  batch.boards.At<life::kWidth>(row) = board.width;
  batch.boards.At<life::kHeight>(row) = board.height;
  batch.boards.At<life::kRuleMasks>(row) = life::RuleMasks(board.rule);
  batch.boards.At<life::kTopology>(row) = board.topology;
  batch.boards.At<life::kGenerations>(row) = board.generations;
  batch.boards.At<life::kFactsEvery>(row) = board.facts_every;
  batch.boards.At<life::kFirstFacts>(row) = first_facts;
  batch.boards.At<life::kFactSet>(row) = board.facts;
  batch.boards.At<life::kSource>(row) = board.source;
  batch.boards.At<life::kSeed>(row) = 0;
  batch.boards.At<life::kThreshold>(row) = kHalf;
}

// Calls run(facts, topology, rule, generations) for all of them; stops at a fault.
template <class Run>
DeviceResult<void> ForEveryVariant(Run run) {
  for (const life::FactSet facts : {life::FactSet{0}, kAllFacts}) {
    for (const life::Topology topology : {life::Topology::kPlane, life::Topology::kTorus}) {
      for (const life::Rule rule : {life::kConway, kHighLife}) {
        for (const std::uint32_t generations : {0u, kAllPasses}) {
          if (auto ran = run(facts, topology, rule, generations); !ran) return ran;
        }
      }
    }
  }
  return {};
}

// One board a batch, plain from cells, with facts from random ones.
DeviceResult<void> RunFewBoards(Slot& slot) {
  return ForEveryVariant([&](life::FactSet facts, life::Topology topology, life::Rule rule,
                             std::uint32_t generations) -> DeviceResult<void> {
    for (const std::uint32_t side : kSides) {
      life::StepBatch& batch = slot.life();
      batch.Clear();
      AddBoard(batch, {.width = side,
                       .height = side,
                       .rule = rule,
                       .topology = topology,
                       .generations = generations,
                       .facts = facts,
                       .source = facts == 0 ? life::Source::kCells : life::Source::kRandom});
      if (auto ran = slot.RunLife(); !ran) return ran;
    }
    return {};
  });
}

// As many boards, as many rows of facts, and then as large a board, as there is room for.
DeviceResult<void> RunManyBoards(const Backend& backend, Slot& slot, const SlotCapacity& capacity) {
  constexpr std::uint32_t kSide = 64;
  life::StepBatch& batch = slot.life();
  batch.Clear();
  const std::size_t boards = std::min(capacity.life_boards, capacity.life_words / kSide);
  // A generation that is looked at is twice the work.
  const std::uint64_t affordable = backend.life_chunk_word_steps() / (2 * boards * kSide);
  const auto rows = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(affordable, 1, capacity.life_facts / boards));
  for (std::size_t i = 0; i < boards; ++i)
    AddBoard(batch, {.width = kSide,
                     .height = kSide,
                     .generations = rows,
                     .facts_every = 1,
                     .facts = life::kCountChanges});
  if (auto ran = slot.RunLife(); !ran) return ran;

  constexpr std::uint32_t kRowWords = 64;
  const std::uint64_t words =
      std::min({std::uint64_t{capacity.life_words}, backend.life_chunk_word_steps(), kMostWords});
  batch.Clear();
  AddBoard(batch,
           {.width = kRowWords * life::kCellsPerWord,
            .height = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, words / kRowWords)),
            .generations = 1});
  return slot.RunLife();
}

using Cells = std::unique_ptr<life::DeviceCells>;

DeviceResult<void> RunCopies(life::DeviceCells& cells) {
  std::vector<std::uint64_t> words(cells.words());
  const life::WordBlock all{.y = 0,
                            .rows = cells.height(),
                            .word = 0,
                            .words = static_cast<std::uint32_t>(life::WordsPerRow(cells.width()))};
  return cells.Fill(0, cells.height(), 0, kHalf)
      .and_then([&] { return cells.Read(all, words.data()); })
      .and_then([&] { return cells.Write(all, words.data()); })
      .and_then([&] { return cells.Fill(0, 1, 0, 0); });
}

DeviceResult<void> RunBoard(Slot& slot, Cells (&cells)[3]) {
  return ForEveryVariant([&](life::FactSet facts, life::Topology topology, life::Rule rule,
                             std::uint32_t generations) {
    life::ResidentBatch& batch = slot.resident();
    batch.Clear();
    life::ResidentStep step;
    step.from = cells[0].get();
    step.work[0] = cells[1].get();
    step.work[1] = cells[2].get();
    step.rule = rule;
    step.topology = topology;
    step.generations = generations;
    step.fact_set = facts;
    step.first_facts = batch.facts.Append();
    batch.steps.push_back(step);
    return slot.RunResident();
  });
}

// As many boards as there is room for, all of which are looked at and none is moved.
DeviceResult<void> RunManyResidents(Slot& slot, const SlotCapacity& capacity,
                                    const life::DeviceCells& cells) {
  life::ResidentBatch& batch = slot.resident();
  batch.Clear();
  for (std::size_t i = 0; i < capacity.resident_boards; ++i) {
    life::ResidentStep step;
    step.from = &cells;
    step.fact_set = kAllFacts;
    step.first_facts = batch.facts.Append();
    batch.steps.push_back(step);
  }
  return slot.RunResident();
}

DeviceResult<void> WarmUpBoards(Backend& backend, std::size_t device, Slot& slot,
                                const SlotCapacity& capacity) {
  for (const std::uint32_t side : kSides) {
    Cells cells[3];
    for (Cells& buffer : cells) {
      auto made = backend.MakeCells(device, side, side);
      if (!made) return tl::unexpected(made.error());
      buffer = *std::move(made);
    }
    if (auto copied = RunCopies(*cells[0]); !copied) return copied;
    if (auto ran = RunBoard(slot, cells); !ran) return ran;
    if (side > kSides[0]) continue;
    if (auto ran = RunManyResidents(slot, capacity, *cells[0]); !ran) return ran;
  }
  return {};
}

}  // namespace

DeviceResult<void> WarmUp(Backend& backend, std::size_t device, Slot& slot,
                          const SlotCapacity& capacity, std::span<const camel_up::Edition> races) {
  return RunFewRows(slot, races)
      .and_then([&] { return RunManyRows(slot, capacity, races); })
      .and_then([&] { return RunFewBoards(slot); })
      .and_then([&] { return RunManyBoards(backend, slot, capacity); })
      .and_then([&] { return WarmUpBoards(backend, device, slot, capacity); });
}

}  // namespace gpusim::kinds
