#include "kernels/race/race_table_file.h"

#include <array>
#include <bit>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/rules/camel_up_shape.h"

namespace gpusim::camel_up {
namespace {

static_assert(std::endian::native == std::endian::little);

using HeaderPage = std::array<std::byte, kRaceHeaderBytes>;

class File {
 public:
  explicit File(int descriptor) : descriptor_(descriptor) {}
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  ~File() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  bool Close() { return close(std::exchange(descriptor_, -1)) == 0; }

 private:
  int descriptor_;
};

class Mapping {
 public:
  Mapping(int descriptor, std::size_t bytes)
      : bytes_(bytes), memory_(mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, descriptor, 0)) {}
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() {
    if (mapped()) munmap(memory_, bytes_);
  }
  bool mapped() const { return memory_ != MAP_FAILED; }
  const std::byte* data() const { return static_cast<const std::byte*>(memory_); }

 private:
  std::size_t bytes_;
  void* memory_;
};

std::string SystemError() { return std::generic_category().message(errno); }

tl::unexpected<RaceFileFault> Fault(const std::string& path, const std::string& why) {
  return tl::unexpected(RaceFileFault{path + ": " + why});
}

tl::unexpected<RaceFileFault> Refused(const std::string& path, const char* field,
                                      std::uint64_t found, std::uint64_t expected) {
  return Fault(path, std::string(field) + " is " + std::to_string(found) + ", expected " +
                         std::to_string(expected));
}

std::span<const std::byte> BytesOf(std::span<const RaceRow> rows) { return std::as_bytes(rows); }

std::uint64_t HeaderChecksum(HeaderPage page) {
  constexpr std::size_t kAt = offsetof(RaceFileHeader, header_checksum);
  std::memset(page.data() + kAt, 0, sizeof(RaceFileHeader::header_checksum));
  return RaceChecksum(page);
}

RaceFileHeader HeaderOf(Edition edition) {
  RaceFileHeader header{};
  std::memcpy(header.magic, RaceFileHeader::kMagic, sizeof header.magic);
  header.version = RaceFileHeader::kVersion;
  header.edition = static_cast<std::uint32_t>(edition);
  header.shapes = ShapesOf(edition);
  header.row_bytes = sizeof(RaceRow);
  header.joint_unit_bits = kJointUnitBits;
  header.legs_unit_bits = kLegsUnitBits;
  header.header_bytes = kRaceHeaderBytes;
  return header;
}

HeaderPage MakeHeaderPage(const RaceTable& table) {
  RaceFileHeader header = HeaderOf(table.edition());
  header.rows_checksum = RaceChecksum(BytesOf(table.rows()));
  HeaderPage page{};
  std::memcpy(page.data(), &header, sizeof header);
  header.header_checksum = HeaderChecksum(page);
  std::memcpy(page.data(), &header, sizeof header);
  return page;
}

// The temporary file beside it, for mkostemp to complete.
std::string PartOf(const std::string& path) { return path + ".part-XXXXXX"; }

bool WriteAll(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

// So that the rename lasts too. A file system that has no such thing says EINVAL.
bool SyncFolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const File opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened.open() && (fsync(opened.get()) == 0 || errno == EINVAL);
}

bool WritePart(int descriptor, const RaceTable& table) {
  constexpr mode_t kForAll = 0644;
  return fchmod(descriptor, kForAll) == 0 && WriteAll(descriptor, MakeHeaderPage(table)) &&
         WriteAll(descriptor, BytesOf(table.rows())) && fsync(descriptor) == 0;
}

// Checks the page against what this program writes for the edition, and gives the rows' checksum.
RaceFileResult<std::uint64_t> CheckHeader(const std::string& path, const HeaderPage& page,
                                          Edition edition) {
  RaceFileHeader found;
  std::memcpy(&found, page.data(), sizeof found);
  const RaceFileHeader expected = HeaderOf(edition);
  if (std::memcmp(found.magic, expected.magic, sizeof found.magic) != 0)
    return Fault(path, "does not begin as a race table, expected \"gpusimrt\"");
  if (found.version != expected.version)
    return Refused(path, "the format's version", found.version, expected.version);
  if (const std::uint64_t sum = HeaderChecksum(page); found.header_checksum != sum)
    return Refused(path, "the header is damaged: its checksum", found.header_checksum, sum);
  if (found.edition != expected.edition)
    return Refused(path, "the edition", found.edition, expected.edition);
  if (found.shapes != expected.shapes)
    return Refused(path, "the number of shapes", found.shapes, expected.shapes);
  if (found.row_bytes != expected.row_bytes)
    return Refused(path, "the size of a row", found.row_bytes, expected.row_bytes);
  if (found.joint_unit_bits != expected.joint_unit_bits)
    return Refused(path, "the unit of the chances", found.joint_unit_bits,
                   expected.joint_unit_bits);
  if (found.legs_unit_bits != expected.legs_unit_bits)
    return Refused(path, "the unit of the legs", found.legs_unit_bits, expected.legs_unit_bits);
  if (found.header_bytes != expected.header_bytes)
    return Refused(path, "the size of the header", found.header_bytes, expected.header_bytes);
  return found.rows_checksum;
}

}  // namespace

std::string RaceTablePath(const std::string& folder, Edition edition) {
  const char* name = edition == Edition::kFirst ? "race_table_first_edition.gpusim"
                                                : "race_table_second_edition.gpusim";
  return folder.empty() || folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::uint64_t RaceChecksum(std::span<const std::byte> bytes) {
  constexpr std::uint64_t kOdd = 0x9e37'79b9'7f4a'7c15;
  constexpr std::size_t kLanes = 4;
  std::uint64_t lane[kLanes] = {1, 2, 3, 4};
  // A bijection of the lane for every word, and of the word for every lane: one changed word always
  // shows.
  const auto mix = [](std::uint64_t& sum, std::uint64_t word) {
    sum = (sum ^ word) * kOdd;
    sum ^= sum >> 32;
  };
  std::uint64_t words[kLanes];
  std::span<const std::byte> left = bytes;
  for (; left.size() >= sizeof words; left = left.subspan(sizeof words)) {
    std::memcpy(words, left.data(), sizeof words);
    for (std::size_t i = 0; i < kLanes; ++i) mix(lane[i], words[i]);
  }
  std::memset(words, 0, sizeof words);
  if (!left.empty()) std::memcpy(words, left.data(), left.size());
  std::uint64_t sum = bytes.size();
  for (std::size_t i = 0; i < kLanes; ++i) {
    mix(lane[i], words[i]);
    mix(sum, lane[i]);
  }
  return sum;
}

RaceFileResult<void> CheckRaceTablePlace(const std::string& path) {
  std::string part = PartOf(path);
  const File file(mkostemp(part.data(), O_CLOEXEC));
  if (!file.open()) return Fault(path, "cannot be written: " + SystemError());
  unlink(part.c_str());
  return {};
}

RaceFileResult<void> WriteRaceTable(const std::string& path, const RaceTable& table) {
  std::string part = PartOf(path);
  File file(mkostemp(part.data(), O_CLOEXEC));
  if (!file.open()) return Fault(path, "cannot be written: " + SystemError());
  if (!WritePart(file.get(), table) || !file.Close() || rename(part.c_str(), path.c_str()) != 0) {
    const std::string why = SystemError();
    unlink(part.c_str());
    return Fault(path, "cannot be written: " + why);
  }
  if (!SyncFolderOf(path)) return Fault(path, "may not outlast a crash: " + SystemError());
  return {};
}

RaceFileResult<std::shared_ptr<const RaceTable>> OpenRaceTable(const std::string& path,
                                                               Edition edition) {
  // Not to block on a pipe of that name.
  const File file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (!file.open()) {
    const bool missing = errno == ENOENT;
    return tl::unexpected(RaceFileFault{path + ": cannot be opened: " + SystemError(), missing});
  }
  struct stat facts {};
  if (fstat(file.get(), &facts) != 0 || !S_ISREG(facts.st_mode))
    return Fault(path, "is no regular file");
  const std::size_t expected_bytes = kRaceHeaderBytes + ShapesOf(edition) * sizeof(RaceRow);
  const auto bytes = static_cast<std::size_t>(facts.st_size);
  if (bytes < kRaceHeaderBytes) return Refused(path, "the size", bytes, expected_bytes);
  HeaderPage page;
  if (pread(file.get(), page.data(), page.size(), 0) != static_cast<ssize_t>(page.size()))
    return Fault(path, "cannot be read: " + SystemError());
  const RaceFileResult<std::uint64_t> checksum = CheckHeader(path, page, edition);
  if (!checksum) return tl::unexpected(checksum.error());
  if (bytes != expected_bytes) return Refused(path, "the size", bytes, expected_bytes);

  const auto mapping = std::make_shared<const Mapping>(file.get(), bytes);
  if (!mapping->mapped()) return Fault(path, "cannot be mapped: " + SystemError());
  const auto* first = reinterpret_cast<const RaceRow*>(mapping->data() + kRaceHeaderBytes);
  const std::span<const RaceRow> rows(first, ShapesOf(edition));
  if (const std::uint64_t sum = RaceChecksum(BytesOf(rows)); sum != *checksum)
    return Refused(path, "the table is damaged: the checksum of its rows", sum, *checksum);
  return std::make_shared<const RaceTable>(edition, mapping, rows);
}

}  // namespace gpusim::camel_up
