// Boards and densities as grayscale PNG, row after row, so that a picture of any size needs the
// memory of one row.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace gpusim::cli {

struct PngShape {
  std::uint32_t width = 0;  // cells or squares, at least 1
  std::uint32_t height = 0;
  // 1: a bit a cell as PackedBoard.rows, live ones white. 8: a byte a square, 255 white.
  int bits = 1;
  std::uint32_t scale = 1;  // pixels of a side, at least 1
};

// Empty, or why there can be no such picture: its sides have at most 2^31 - 1 pixels.
std::string PngFault(const PngShape& shape);

class PngWriter {
 public:
  // `write` gets the file's bytes in order; false ends the picture. The shape has no fault.
  PngWriter(const PngShape& shape, std::function<bool(std::string_view)> write);
  ~PngWriter();
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;

  // Any number of whole rows. False: more rows than the height, part of a row, or `write` failed.
  bool WriteRows(std::string_view rows);
  // False: rows are missing, or something failed before.
  bool Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpusim::cli
