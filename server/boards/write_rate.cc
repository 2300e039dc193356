#include "server/boards/write_rate.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <vector>

#include <unistd.h>

#include "server/boards/whole_file.h"

namespace gpusim::boards {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{2} << 20;
constexpr std::size_t kPieces = 8;
constexpr std::chrono::milliseconds kLongest{200};

bool WritePiece(int file, const std::vector<char>& piece) {
  for (std::size_t done = 0; done < piece.size();) {
    const ssize_t written = write(file, piece.data() + done, piece.size() - done);
    if (written <= 0) return false;
    done += static_cast<std::size_t>(written);
  }
  return fdatasync(file) == 0;
}

}  // namespace

double MeasureWriteRate(const std::string& dir) {
  std::string path = dir + "/write-rate-XXXXXX";
  const Descriptor file(mkstemp(path.data()));
  if (!file.open()) return 0;
  unlink(path.c_str());
  // Not zeros, which some file systems keep no blocks for.
  std::vector<char> piece(kPieceBytes);
  std::uint32_t noise = 1;
  for (char& byte : piece) byte = static_cast<char>((noise = noise * 1664525 + 1013904223) >> 24);

  using Seconds = std::chrono::duration<double>;
  const auto start = std::chrono::steady_clock::now();
  Seconds elapsed{0};
  std::size_t pieces = 0;
  while (pieces < kPieces && elapsed < kLongest && WritePiece(file.get(), piece)) {
    ++pieces;
    elapsed = std::chrono::steady_clock::now() - start;
  }
  if (pieces == 0 || elapsed <= Seconds(0)) return 0;
  return static_cast<double>(pieces * kPieceBytes) / elapsed.count();
}

}  // namespace gpusim::boards
