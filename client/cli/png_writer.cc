// libpng leaves a failed call by longjmp, back to the setjmp of the function that made it: such a
// function has no object that would have to be destroyed.
#include "client/cli/png_writer.h"

#include <csetjmp>
#include <limits>
#include <utility>
#include <vector>

#include <png.h>

namespace gpusim::cli {

struct PngWriter::State {
  PngShape shape;
  std::function<bool(std::string_view)> write;
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::vector<png_byte> pixels;  // a row of the picture
  std::uint64_t row_bytes = 0;   // of the input
  std::uint64_t rows_left = 0;
  bool failed = false;
};

namespace {

std::uint64_t Bytes(std::uint64_t pixels, int bits) {
  return (pixels * static_cast<unsigned>(bits) + 7) / 8;
}

void WriteBytes(png_structp png, png_bytep bytes, std::size_t count) {
  auto& write = *static_cast<std::function<bool(std::string_view)>*>(png_get_io_ptr(png));
  if (!write({reinterpret_cast<const char*>(bytes), count})) png_error(png, "cannot write");
}

// Neither prints nor aborts.
[[noreturn]] void Leave(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void Ignore(png_structp, png_const_charp) {}

bool Begin(png_structp png, png_infop info, const PngShape& shape) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  constexpr png_uint_32 kMost = 0x7fffffff;
  png_set_user_limits(png, kMost, kMost);
  png_set_IHDR(png, info, shape.width * shape.scale, shape.height * shape.scale, shape.bits,
               PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  // Boards are wide and mostly dead or noise: the fast level is nearly as small as the best.
  png_set_compression_level(png, 3);
  png_write_info(png, info);
  // The leftmost pixel is the highest bit in a PNG, and the lowest one here.
  if (shape.bits == 1) png_set_packswap(png);
  return true;
}

bool Repeat(png_structp png, png_const_bytep row, std::uint32_t times) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  for (std::uint32_t i = 0; i < times; ++i) png_write_row(png, row);
  return true;
}

bool End(png_structp png, png_infop info) {
  if (setjmp(png_jmpbuf(png)) != 0) return false;
  png_write_end(png, info);
  return true;
}

void Widen(std::string_view row, const PngShape& shape, std::vector<png_byte>& pixels) {
  std::fill(pixels.begin(), pixels.end(), png_byte{0});
  std::uint64_t pixel = 0;
  for (std::uint32_t x = 0; x < shape.width; ++x) {
    const auto byte = static_cast<png_byte>(row[shape.bits == 1 ? x / 8 : x]);
    const png_byte value = shape.bits == 1 ? byte >> (x % 8) & 1 : byte;
    for (std::uint32_t i = 0; i < shape.scale; ++i, ++pixel) {
      if (shape.bits == 8) pixels[pixel] = value;
      if (shape.bits == 1) pixels[pixel / 8] |= static_cast<png_byte>(value << (pixel % 8));
    }
  }
}

}  // namespace

std::string PngFault(const PngShape& shape) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int32_t>::max();
  if (std::uint64_t{shape.width} * shape.scale <= kMost &&
      std::uint64_t{shape.height} * shape.scale <= kMost) {
    return "";
  }
  return "a PNG has at most 2147483647 pixels a side";
}

PngWriter::PngWriter(const PngShape& shape, std::function<bool(std::string_view)> write)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.shape = shape;
  state.write = std::move(write);
  state.row_bytes = Bytes(shape.width, shape.bits);
  state.rows_left = shape.height;
  state.pixels.resize(Bytes(std::uint64_t{shape.width} * shape.scale, shape.bits));
  state.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, Leave, Ignore);
  if (state.png != nullptr) state.info = png_create_info_struct(state.png);
  state.failed = state.info == nullptr;
  if (state.failed) return;
  png_set_write_fn(state.png, &state.write, WriteBytes, nullptr);
  state.failed = !Begin(state.png, state.info, shape);
}

PngWriter::~PngWriter() {
  if (state_->png != nullptr) png_destroy_write_struct(&state_->png, &state_->info);
}

bool PngWriter::WriteRows(std::string_view rows) {
  State& state = *state_;
  const std::uint64_t count = rows.size() / state.row_bytes;
  if (rows.size() % state.row_bytes != 0 || count > state.rows_left) state.failed = true;
  for (std::uint64_t i = 0; i < count && !state.failed; ++i) {
    const std::string_view row = rows.substr(i * state.row_bytes, state.row_bytes);
    const bool widened = state.shape.scale > 1;
    if (widened) Widen(row, state.shape, state.pixels);
    const auto* pixels = reinterpret_cast<const png_byte*>(row.data());
    state.failed = !Repeat(state.png, widened ? state.pixels.data() : pixels, state.shape.scale);
    --state.rows_left;
  }
  return !state.failed;
}

bool PngWriter::Finish() {
  State& state = *state_;
  if (!state.failed && state.rows_left == 0) state.failed = !End(state.png, state.info);
  return !state.failed && state.rows_left == 0;
}

}  // namespace gpusim::cli
