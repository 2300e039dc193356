#include "server/kinds/kinds.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

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
                                           std::uint64_t max_tasks, std::uint64_t max_bytes) {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::vector<batching::KindOptions> kinds(kBoards + devices);
  kinds[kCamelUp] = {"camel_up",
                     {sizes.capacity.camel_up_rows, kNoLimit, sizes.camel_up_chunk.moves},
                     max_tasks,
                     max_bytes};
  kinds[kLife] = {"life",
                  {sizes.capacity.life_boards, sizes.capacity.life_words * sizeof(std::uint64_t),
                   sizes.life_chunk.word_steps},
                  max_tasks,
                  max_bytes};
  kinds[kPing] = {"ping", {kPingRows, kNoLimit, kNoLimit}, max_tasks, max_bytes};
  // A board has one task at the most, so that the number of boards is the limit.
  for (std::size_t device = 0; device < devices; ++device) {
    kinds[kBoards + device] = {
        "boards",
        {sizes.capacity.resident_boards, sizes.capacity.life_facts * kFactRowBytes,
         sizes.resident_chunk.word_steps},
        kNoLimit,
        kNoLimit};
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

}  // namespace gpusim::kinds
