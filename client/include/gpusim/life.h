// Game of Life: what is asked and what comes back. x goes to the right, y down, from 0; sizes are
// in cells. Resident boards: <gpusim/life_boards.h>.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gpusim/provenance.h>
#include <gpusim/result.h>

namespace gpusim {

// Cells as bits: each row padded to whole bytes, the least significant bit is the leftmost cell.
struct PackedBoard {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
  std::string rows = {};  // height * ceil(width / 8) bytes
};

// A pattern file's bytes: RLE, plaintext .cells, Life 1.05 or Life 1.06; the server recognises
// which.
struct PatternFile {
  std::string bytes = {};
};

// Cells made by the server: the same seed gives the same cells on every backend.
struct RandomCells {
  double density = 0;  // 0 to 1, of live cells
  std::uint64_t seed = 0;
};

struct CellOffset {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

struct CellRegion {
  std::uint32_t x = 0;
  std::uint32_t y = 0;
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  friend bool operator==(const CellRegion&, const CellRegion&) = default;
};

// How the board comes back.
enum class BoardFormat {
  kNone = 0,    // facts only
  kPacked = 1,  // as a PackedBoard, the others as a PatternFile
  kRle = 2,
  kCells = 3,
  kLife106 = 4,
  kLife105 = 5,
};

// A run ends at the first generation that meets the condition.
struct Until {
  enum class Condition {
    kNever = 0,
    kExtinct,            // no live cell is left
    kStill,              // equal to the generation before
    kPeriodAtMost,       // equal to the one p generations ago, for a p of 1 to `bound` (<= 4096)
    kPopulationAtMost,   // `bound`
    kPopulationAtLeast,  // `bound`
  };
  Condition condition = Condition::kNever;
  std::uint64_t bound = 0;
};

enum class StopReason {
  kUnspecified = 0,  // it runs
  kTarget = 1,       // all generations were run
  kCondition = 2,    // `until` is met
  kTime = 3,         // its time is up
  kStopped = 4,      // by somebody's call, or the caller went away
  kDraining = 5,     // the server stops
};

// What is counted besides the population, which always is.
enum class LifeFact {
  kChanges = 1,
  kBox = 2,
  kDigest = 3,
  kShapeDigest = 4,
  kHash = 5,  // made on the host, half a nanosecond a cell
};

// Of one generation. What was not asked for is 0, empty or unset.
struct LifeFacts {
  std::uint64_t generation = 0;
  std::uint64_t population = 0;
  std::uint64_t births = 0;
  std::uint64_t deaths = 0;
  std::optional<CellRegion> box = {};  // of all live cells; unset when there are none
  // 16 lower-case hex digits each. Equal boards of one size have equal digests; the shape digest
  // does not change when the pattern moves.
  std::string digest = {};
  std::string shape_digest = {};
  std::string hash = {};
};

struct StepRequest {
  std::variant<PatternFile, PackedBoard, RandomCells> source = {};
  std::string rule = {};  // "B3/S23"; empty: the file's, else B3/S23
  // "torus:64x64", "plane:64x64", "plane:auto"; empty: the file's, else plane:auto. RandomCells
  // need one with a size.
  std::string topology = {};
  // Of the pattern's top left cell; unset: the file's, else centred.
  std::optional<CellOffset> at = {};
  std::uint64_t generations = 0;
  BoardFormat output_format = BoardFormat::kNone;
  Until until = {};
  std::vector<LifeFact> facts = {};  // empty: kHash, in StepMany none
  // A row of StepResult::series for every so many generations; 0: none.
  std::uint64_t facts_every = 0;
};

struct StepResult {
  std::uint64_t generation = 0;  // the file's own plus the generations run
  std::uint64_t population = 0;
  std::string hash = {};  // 16 lower-case hex digits
  std::string rule = {};
  std::string topology = {};
  std::uint32_t width = 0;  // of the board, for plane:auto of the box of live cells
  std::uint32_t height = 0;
  // For plane:auto: the box, relative to the pattern's own box as it was placed.
  CellOffset origin = {};
  std::variant<std::monostate, PackedBoard, PatternFile> board = {};
  std::vector<std::string> notes = {};  // decisions where request and file differ
  Provenance provenance = {};
  LifeFacts facts = {};  // of the last generation
  std::vector<LifeFacts> series = {};
  StopReason stop_reason = StopReason::kUnspecified;
  std::uint32_t period = 0;  // that Until::kPeriodAtMost found, else 0
};

// Many boards of one shape, rule and number of generations.
struct UniformBoards {
  std::string topology = {};  // of each: "torus:64x64" or "plane:64x64"
  std::uint32_t count = 0;    // at least 1
  // All boards one behind another, as PackedBoard::rows; or random ones, board k with seed + k.
  std::variant<std::string, RandomCells> source = {};
  std::string rule = {};  // empty: B3/S23
  std::uint64_t generations = 0;
  Until until = {};
  std::vector<LifeFact> facts = {};
  bool return_rows = false;
};

// Vectors with an entry a board, those that were not asked for empty.
struct UniformResults {
  std::vector<std::uint64_t> generation = {};  // generations run
  std::vector<std::uint64_t> population = {};
  std::vector<StopReason> stop_reason = {};
  std::vector<std::uint32_t> period = {};  // 0 where none was looked for or found
  std::vector<std::uint64_t> births = {};
  std::vector<std::uint64_t> deaths = {};
  std::vector<CellRegion> box = {};  // width 0: no live cell
  std::vector<std::uint64_t> digest = {};
  std::vector<std::uint64_t> shape_digest = {};
  std::vector<std::uint64_t> hash = {};
  std::string rows = {};  // as UniformBoards::source
};

// At most 65,536 boards of 2^30 cells together.
struct StepManyRequest {
  std::vector<StepRequest> boards = {};
  std::optional<UniformBoards> uniform = {};
};

struct StepManyResult {
  std::vector<Result<StepResult>> boards =
      {};  // in the order of the request; a bad one fails alone
  UniformResults uniform = {};
  Provenance provenance = {};
};

}  // namespace gpusim
