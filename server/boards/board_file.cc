#include "server/boards/board_file.h"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstring>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/batches.h"
#include "kernels/rules/life_facts.h"
#include "server/boards/bands.h"
#include "server/boards/board_names.h"

namespace gpusim::boards {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::uint32_t kAllCounts = 0x1ff;  // a bit for each number of neighbours
// A hundred years: more is no lease, and would not fit a clock.
constexpr std::uint64_t kLongestSeconds = std::uint64_t{100} * 366 * 24 * 3600;

std::uint64_t ToMs(SystemTime time) {
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count());
}

SystemTime FromMs(std::uint64_t ms) {
  return SystemTime(std::chrono::milliseconds(static_cast<std::int64_t>(ms)));
}

std::uint64_t ChecksumOf(std::uint64_t first_word, std::span<const std::uint64_t> words) {
  std::uint64_t sum = 0;
  for (const std::uint64_t word : words) sum += life::Mix64(first_word++, word);
  return sum;
}

std::uint64_t HeaderChecksum(BoardHeaderBytes bytes) {
  std::memset(bytes.data() + offsetof(BoardFileHeader, header_checksum), 0,
              sizeof(BoardFileHeader::header_checksum));
  std::array<std::uint64_t, kBoardHeaderBytes / sizeof(std::uint64_t)> words;
  std::memcpy(words.data(), bytes.data(), bytes.size());
  return ChecksumOf(0, words);
}

tl::unexpected<std::string> NotExpected(const char* field, std::uint64_t found,
                                        const std::string& expected) {
  return tl::unexpected(std::string(field) + " is " + std::to_string(found) + ", expected " +
                        expected);
}

tl::expected<void, std::string> CheckNumbers(const BoardFileHeader& header) {
  if (header.header_bytes != kBoardHeaderBytes)
    return NotExpected("the size of the header", header.header_bytes,
                       std::to_string(kBoardHeaderBytes));
  if (header.width == 0 || header.height == 0) return NotExpected("a side", 0, "at least 1");
  if ((header.rule_masks & ~(kAllCounts | kAllCounts << 16)) != 0)
    return NotExpected("the rule", header.rule_masks, "9 bits of birth and 9 of survival");
  if (header.topology > static_cast<std::uint8_t>(life::Topology::kTorus))
    return NotExpected("the topology", header.topology, "0 or 1");
  if (header.cause < static_cast<std::uint8_t>(SnapshotCause::kAsked) ||
      header.cause > static_cast<std::uint8_t>(SnapshotCause::kBoardItself))
    return NotExpected("the cause", header.cause, "1 to 3");
  for (const std::uint64_t seconds : {header.lease_s, header.autosave_s}) {
    if (seconds > kLongestSeconds)
      return NotExpected("a time", seconds, "at most " + std::to_string(kLongestSeconds));
  }
  for (const std::uint64_t ms : {header.board_created_ms, header.written_ms}) {
    if (ms > kLongestSeconds * 1000) return NotExpected("a date", ms, "a date before 2070");
  }
  return {};
}

// The name, with nothing but zeros behind it; nullopt if it is none.
std::optional<std::string> NameIn(std::span<const char> field) {
  const auto end = std::find(field.begin(), field.end(), '\0');
  std::string name(field.begin(), end);
  const bool padded = std::all_of(end, field.end(), [](char c) { return c == '\0'; });
  if (!padded || (!name.empty() && !IsName(name))) return std::nullopt;
  return name;
}

class WordsReader {
 public:
  WordsReader(int descriptor, std::uint64_t at) : descriptor_(descriptor), at_(at) {}
  // False, with errno 0 at the end of the file.
  bool Read(std::span<std::uint64_t> words) {
    const std::span<std::byte> all = std::as_writable_bytes(words);
    for (std::span<std::byte> left = all; !left.empty();) {
      const ssize_t got = pread(descriptor_, left.data(), left.size(), static_cast<off_t>(at_));
      if (got < 0 && errno == EINTR) continue;
      if (got == 0) errno = 0;
      if (got <= 0) return false;
      left = left.subspan(static_cast<std::size_t>(got));
      at_ += static_cast<std::uint64_t>(got);
    }
    return true;
  }

 private:
  const int descriptor_;
  std::uint64_t at_;
};

// Padding bits of the words of a band are 0.
bool PaddingIsClear(const life::DeviceCells& cells, const life::WordBlock& block,
                    std::span<const std::uint64_t> words) {
  const std::uint64_t last = life::WordsPerRow(cells.width()) - 1;
  const std::uint32_t used = cells.width() % life::kCellsPerWord;
  if (used == 0 || block.word + block.words <= last) return true;
  for (std::size_t row = 0; row < block.rows; ++row) {
    if (words[row * block.words + last - block.word] >> used != 0) return false;
  }
  return true;
}

}  // namespace

std::uint64_t BoardFileBytes(const BoardShape& shape) {
  return kBoardHeaderBytes + BoardBytes(shape.width, shape.height);
}

BoardHeaderBytes EncodeHeader(const BoardFileFacts& facts, std::uint64_t words_checksum) {
  BoardFileHeader header{};
  std::memcpy(header.magic, BoardFileHeader::kMagic, sizeof header.magic);
  header.version = BoardFileHeader::kVersion;
  header.header_bytes = kBoardHeaderBytes;
  header.width = facts.shape.width;
  header.height = facts.shape.height;
  header.rule_masks = life::RuleMasks(facts.shape.rule);
  header.topology = static_cast<std::uint8_t>(facts.shape.topology);
  header.cause = static_cast<std::uint8_t>(facts.cause);
  header.generation = facts.generation;
  header.lease_s = static_cast<std::uint64_t>(facts.lease.count());
  header.autosave_s = static_cast<std::uint64_t>(facts.autosave_every.count());
  header.board_created_ms = ToMs(facts.board_created);
  header.written_ms = ToMs(facts.written);
  facts.board_id.copy(header.board_id, sizeof header.board_id);
  facts.creator.copy(header.creator, sizeof header.creator);
  header.words_checksum = words_checksum;
  BoardHeaderBytes bytes{};
  std::memcpy(bytes.data(), &header, sizeof header);
  header.header_checksum = HeaderChecksum(bytes);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

tl::expected<DecodedHeader, std::string> DecodeHeader(const BoardHeaderBytes& bytes) {
  BoardFileHeader header;
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, BoardFileHeader::kMagic, sizeof header.magic) != 0)
    return tl::unexpected(std::string("does not begin as a board, expected \"gpusimlb\""));
  if (header.version != BoardFileHeader::kVersion)
    return NotExpected("the format's version", header.version,
                       std::to_string(BoardFileHeader::kVersion));
  if (const std::uint64_t sum = HeaderChecksum(bytes); header.header_checksum != sum)
    return NotExpected("the header is damaged: its checksum", header.header_checksum,
                       std::to_string(sum));
  if (auto checked = CheckNumbers(header); !checked) return tl::unexpected(checked.error());
  auto id = NameIn(header.board_id);
  if (!id || id->empty()) return tl::unexpected(std::string("the board's ID is no name"));
  auto creator = NameIn(header.creator);
  if (!creator) return tl::unexpected(std::string("the board's creator is no name"));
  const life::Rule rule{.birth = static_cast<std::uint16_t>(header.rule_masks & kAllCounts),
                        .survive = static_cast<std::uint16_t>(header.rule_masks >> 16)};
  return DecodedHeader{
      .facts = {.board_id = *std::move(id),
                .shape = {.width = header.width,
                          .height = header.height,
                          .topology = static_cast<life::Topology>(header.topology),
                          .rule = rule},
                .generation = header.generation,
                .lease = std::chrono::seconds(static_cast<std::int64_t>(header.lease_s)),
                .autosave_every =
                    std::chrono::seconds(static_cast<std::int64_t>(header.autosave_s)),
                .board_created = FromMs(header.board_created_ms),
                .written = FromMs(header.written_ms),
                .cause = static_cast<SnapshotCause>(header.cause),
                .creator = *std::move(creator)},
      .words_checksum = header.words_checksum};
}

FileResult<void> WriteBoardFile(const std::string& path, const BoardFileFacts& facts,
                                const life::DeviceCells& cells, const FileHook& hook) {
  auto file = WholeFile::Create(path, hook);
  if (!file) return tl::unexpected(file.error());
  // The checksum is known at the end; the header is written again then.
  if (auto written = (*file)->Append(EncodeHeader(facts, 0)); !written) return written;
  const Bands bands(cells.width(), cells.height());
  std::vector<std::uint64_t> words;
  std::uint64_t first_word = 0;
  std::uint64_t checksum = 0;
  for (std::uint64_t band = 0; band < bands.count(); ++band) {
    const life::WordBlock block = bands.At(band);
    words.resize(block.size());
    if (auto read = cells.Read(block, words.data()); !read)
      return tl::unexpected(FileFault{path + ": cannot be written: " + read.error().what});
    checksum += ChecksumOf(first_word, words);
    first_word += words.size();
    if (auto written = (*file)->Append(std::as_bytes(std::span(words))); !written) return written;
  }
  if (auto written = (*file)->Rewrite(0, EncodeHeader(facts, checksum)); !written) return written;
  return (*file)->Commit();
}

FileResult<BoardFile> BoardFile::Open(const std::string& path) {
  // Not to block on a pipe of that name.
  Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) return tl::unexpected(FaultOf(path, "cannot be opened", errno));
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return tl::unexpected(FileFault{path + ": is no regular file"});
  const auto bytes = static_cast<std::uint64_t>(facts.st_size);
  const auto refuse = [&](std::uint64_t expected) {
    return tl::unexpected(FileFault{path + ": the size is " + std::to_string(bytes) +
                                    ", expected " + std::to_string(expected)});
  };
  if (bytes < kBoardHeaderBytes) return refuse(kBoardHeaderBytes);
  BoardHeaderBytes header;
  if (pread(file.get(), header.data(), header.size(), 0) != static_cast<ssize_t>(header.size()))
    return tl::unexpected(FaultOf(path, "cannot be read", errno));
  auto decoded = DecodeHeader(header);
  if (!decoded) return tl::unexpected(FileFault{path + ": " + decoded.error()});
  // No overflow: both sides have 32 bits.
  const std::uint64_t expected = BoardFileBytes(decoded->facts.shape);
  if (bytes != expected) return refuse(expected);
  return BoardFile(path, std::move(file), *std::move(decoded));
}

FileResult<void> BoardFile::ReadInto(life::DeviceCells& cells) const {
  const Bands bands(cells.width(), cells.height());
  WordsReader reader(file_.get(), kBoardHeaderBytes);
  std::vector<std::uint64_t> words;
  std::uint64_t first_word = 0;
  std::uint64_t checksum = 0;
  for (std::uint64_t band = 0; band < bands.count(); ++band) {
    const life::WordBlock block = bands.At(band);
    words.resize(block.size());
    if (!reader.Read(words)) {
      if (errno == 0) return tl::unexpected(FileFault{path_ + ": ends too early"});
      return tl::unexpected(FaultOf(path_, "cannot be read", errno));
    }
    if (!PaddingIsClear(cells, block, words))
      return tl::unexpected(FileFault{path_ + ": has cells beyond the ends of its rows"});
    checksum += ChecksumOf(first_word, words);
    first_word += words.size();
    if (auto written = cells.Write(block, words.data()); !written)
      return tl::unexpected(FileFault{path_ + ": " + written.error().what});
  }
  if (checksum != header_.words_checksum)
    return tl::unexpected(FileFault{path_ + ": is damaged: the checksum of its cells is " +
                                    std::to_string(checksum) + ", expected " +
                                    std::to_string(header_.words_checksum)});
  return {};
}

}  // namespace gpusim::boards
