// Game of Life: what is asked and what comes back. x goes to the right, y down, from 0; sizes are
// in cells.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <gpusim/provenance.h>

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

struct CellOffset {
  std::int64_t x = 0;
  std::int64_t y = 0;
};

// How the board comes back.
enum class BoardFormat {
  kNone = 0,    // facts only
  kPacked = 1,  // as a PackedBoard, the others as a PatternFile
  kRle = 2,
  kCells = 3,
  kLife106 = 4,
};

struct StepRequest {
  std::variant<PatternFile, PackedBoard> source = {};
  std::string rule = {};  // "B3/S23"; empty: the file's, else B3/S23
  // "torus:64x64", "plane:64x64", "plane:auto"; empty: the file's, else plane:auto.
  std::string topology = {};
  // Of the pattern's top left cell; unset: the file's, else centred.
  std::optional<CellOffset> at = {};
  std::uint64_t generations = 0;
  BoardFormat output_format = BoardFormat::kNone;
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
};

}  // namespace gpusim
