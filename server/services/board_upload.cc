#include "server/services/board_upload.h"

namespace gpusim::server {

std::optional<Violation> RowBands::WidthFault(std::uint32_t width, const std::string& field) {
  if (PackedRowBytes(width) <= kBandBytes) return std::nullopt;
  return Violation{field, std::to_string(width),
                   "a streamed row is at most " + std::to_string(kBandBytes) + " bytes, " +
                       std::to_string(kBandBytes * 8) + " cells"};
}

std::string RowBands::SizeText() const {
  return std::to_string(width_) + "x" + std::to_string(height_);
}

tl::expected<life::Board, Violation> RowBands::Take(std::string_view rows) {
  const std::uint64_t row_bytes = PackedRowBytes(width_);
  const std::string bytes = std::to_string(rows.size()) + " bytes";
  if (rows.size() > kBandBytes)
    return tl::unexpected(Violation{
        "rows", bytes, "a message holds at most " + std::to_string(kBandBytes) + " bytes"});
  if (rows.empty() || rows.size() % row_bytes != 0)
    return tl::unexpected(Violation{"rows", bytes,
                                    "a message holds whole rows, of " + std::to_string(row_bytes) +
                                        " bytes for " + std::to_string(width_) + " cells"});
  const std::uint64_t count = rows.size() / row_bytes;
  if (count > height_ - next_)
    return tl::unexpected(Violation{
        "rows", "row " + std::to_string(next_ + count),
        "cells of " + SizeText() + " have " + std::to_string(height_) + " rows, no more follow"});
  auto band = UnpackRows(width_, static_cast<std::uint32_t>(count), rows);
  if (!band)
    return tl::unexpected(Violation{"rows", "row " + std::to_string(next_ + band.error()),
                                    "the bits that pad a row to whole bytes are 0"});
  next_ += static_cast<std::uint32_t>(count);
  return *std::move(band);
}

std::optional<Violation> RowBands::Missing() const {
  if (next_ == height_) return std::nullopt;
  return Violation{"rows", std::to_string(next_) + " rows",
                   "cells of " + SizeText() + " have " + std::to_string(height_) + " rows"};
}

}  // namespace gpusim::server
