// A board as a file: of snapshots, and of boards that a restarted server takes up again.
//
//   byte 0     header, 256 bytes: what the board is, and checksums; zeros up to its end
//   byte 256   the words of the board (kernels/life.h), row after row; nothing behind the last
//
// All numbers are little-endian. The checksum of the words is the sum of Mix64(index, word), which is the board's digest; the
// header has one of its own. Numbers in a header are claims: they are held against each other and against the size of
// the file before anything is allocated.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "kernels/device_cells.h"
#include "server/boards/board_types.h"
#include "server/boards/whole_file.h"

namespace gpusim::boards {

struct BoardFileHeader {
  static constexpr char kMagic[8] = {'g', 'p', 'u', 's', 'i', 'm', 'l', 'b'};
  static constexpr std::uint32_t kVersion = 1;

  char magic[8];
  std::uint32_t version;
  std::uint32_t header_bytes;  // where the words begin
  std::uint32_t width;
  std::uint32_t height;
  std::uint32_t rule_masks;  // birth | survive << 16
  std::uint8_t topology;     // life::Topology
  std::uint8_t cause;        // SnapshotCause
  std::uint8_t reserved[2];  // 0
  std::uint64_t generation;
  std::uint64_t lease_s;
  std::uint64_t autosave_s;
  std::uint64_t board_created_ms;  // since 1970, as the next
  std::uint64_t written_ms;
  char board_id[64];  // zeros behind it
  std::uint64_t words_checksum;
  std::uint64_t header_checksum;  // of all 256 bytes, this field taken as 0
  char creator[64];               // zeros behind it, or nothing else
};
static_assert(sizeof(BoardFileHeader) == 216);
inline constexpr std::size_t kBoardHeaderBytes = 256;
using BoardHeaderBytes = std::array<std::byte, kBoardHeaderBytes>;

// What a header says.
struct BoardFileFacts {
  std::string board_id;
  BoardShape shape;
  std::uint64_t generation = 0;
  std::chrono::seconds lease{};
  std::chrono::seconds autosave_every{};
  SystemTime board_created;
  SystemTime written;
  SnapshotCause cause = SnapshotCause::kAsked;
  std::string creator;  // empty: nobody
};

std::uint64_t BoardFileBytes(const BoardShape& shape);

BoardHeaderBytes EncodeHeader(const BoardFileFacts& facts, std::uint64_t words_checksum);
struct DecodedHeader {
  BoardFileFacts facts;
  std::uint64_t words_checksum = 0;
};
// The error says which field is not what it should be.
tl::expected<DecodedHeader, std::string> DecodeHeader(const BoardHeaderBytes& bytes);

// Writes the whole file or leaves what was there. Blocks.
FileResult<void> WriteBoardFile(const std::string& path, const BoardFileFacts& facts,
                                const life::DeviceCells& cells, const FileHook& hook);

// A file whose header is sound and whose size is what it says.
class BoardFile {
 public:
  static FileResult<BoardFile> Open(const std::string& path);

  const BoardFileFacts& facts() const { return header_.facts; }
  // All words into cells of the same size. On a fault, and where the words are not what the checksum says, the cells are unspecified.
  FileResult<void> ReadInto(life::DeviceCells& cells) const;

 private:
  BoardFile(std::string path, Descriptor file, DecodedHeader header)
      : path_(std::move(path)), file_(std::move(file)), header_(std::move(header)) {}

  std::string path_;
  Descriptor file_;
  DecodedHeader header_;
};

}  // namespace gpusim::boards
