// Boards as bytes: each row padded to whole bytes, the least significant bit is the leftmost cell.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/board_region.h"
#include "kernels/life.h"

namespace gpusim::server {

constexpr std::uint64_t PackedRowBytes(std::uint64_t width) { return (width + 7) / 8; }
constexpr std::uint64_t PackedBytes(std::uint64_t width, std::uint64_t height) {
  return PackedRowBytes(width) * height;
}

std::string PackRows(const life::Board& board);
// The same, to where there is room for PackedBytes(board.width, board.height).
void PackRowsTo(const life::Board& board, char* rows);

// The error is the row whose padding bits are not 0. Precondition: the size of `rows` is
// PackedBytes(width, height), both at least 1.
tl::expected<life::Board, std::uint32_t> UnpackRows(std::uint32_t width, std::uint32_t height,
                                                    std::string_view rows);

// The region as a board of its own.
life::Board Crop(const life::Board& board, const formats::Region& region);

}  // namespace gpusim::server
