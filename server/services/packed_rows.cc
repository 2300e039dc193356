#include "server/services/packed_rows.h"

#include <bit>
#include <cstring>

namespace gpusim::server {

static_assert(std::endian::native == std::endian::little,
              "a word's bytes are cells from left to right");

std::string PackRows(const life::Board& board) {
  std::string rows(PackedBytes(board.width, board.height), '\0');
  PackRowsTo(board, rows.data());
  return rows;
}

void PackRowsTo(const life::Board& board, char* rows) {
  const std::size_t row_bytes = PackedRowBytes(board.width);
  const std::size_t row_words = life::WordsPerRow(board.width);
  for (std::size_t y = 0; y < board.height; ++y)
    std::memcpy(rows + y * row_bytes, board.words.data() + y * row_words, row_bytes);
}

tl::expected<life::Board, std::uint32_t> UnpackRows(std::uint32_t width, std::uint32_t height,
                                                    std::string_view rows) {
  life::Board board = life::Board::Empty(width, height);
  const std::size_t row_bytes = PackedRowBytes(width);
  const std::size_t row_words = life::WordsPerRow(width);
  const unsigned padding = width % 8 == 0 ? 0u : 0xffu << (width % 8) & 0xffu;
  for (std::uint32_t y = 0; y < height; ++y) {
    const std::string_view row = rows.substr(y * row_bytes, row_bytes);
    if ((static_cast<unsigned char>(row.back()) & padding) != 0) return tl::unexpected(y);
    std::memcpy(board.words.data() + y * row_words, row.data(), row_bytes);
  }
  return board;
}

life::Board Crop(const life::Board& board, const formats::Region& region) {
  life::Board crop = life::Board::Empty(region.width, region.height);
  const std::size_t from_words = life::WordsPerRow(board.width);
  const std::size_t to_words = life::WordsPerRow(region.width);
  const std::size_t first = region.x / life::kCellsPerWord;
  const unsigned shift = region.x % life::kCellsPerWord;
  const unsigned last_cells = region.width % life::kCellsPerWord;
  for (std::size_t y = 0; y < region.height; ++y) {
    const std::uint64_t* from = board.words.data() + (region.y + y) * from_words;
    std::uint64_t* to = crop.words.data() + y * to_words;
    for (std::size_t i = 0; i < to_words; ++i) {
      to[i] = from[first + i] >> shift;
      if (shift != 0 && first + i + 1 < from_words)
        to[i] |= from[first + i + 1] << (life::kCellsPerWord - shift);
    }
    if (last_cells != 0) to[to_words - 1] &= (std::uint64_t{1} << last_cells) - 1;
  }
  return crop;
}

}  // namespace gpusim::server
