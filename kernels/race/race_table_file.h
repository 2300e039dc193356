// Race tables as files, written once and then mapped by whoever reads them.
//
//   byte 0      header, one page: who wrote what, and checksums; zeros up to its end
//   byte 4096   RaceRow of shape 0, of shape 1, ...; nothing behind the last
//
// All numbers are little-endian. A file is refused unless every byte of it is as expected: the header
// is told from a known one field by field, and the rows by their checksum.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include <tl/expected.hpp>

#include "kernels/race_table.h"

namespace gpusim::camel_up {

struct RaceFileHeader {
  static constexpr char kMagic[8] = {'g', 'p', 'u', 's', 'i', 'm', 'r', 't'};
  static constexpr std::uint32_t kVersion = 1;

  char magic[8];
  std::uint32_t version;
  std::uint32_t edition;
  std::uint64_t shapes;
  std::uint32_t row_bytes;
  std::uint32_t joint_unit_bits;
  std::uint32_t legs_unit_bits;
  std::uint32_t header_bytes;  // where the rows begin
  std::uint64_t rows_checksum;
  std::uint64_t header_checksum;  // of the whole page, this field taken as 0
};
static_assert(sizeof(RaceFileHeader) == 56);
inline constexpr std::size_t kRaceHeaderBytes = 4096;

struct RaceFileFault {
  std::string what;      // one line: the file, what was found, what is expected
  bool missing = false;  // there is no such file
};

template <class T>
using RaceFileResult = tl::expected<T, RaceFileFault>;

// The default name of an edition's file in a folder.
std::string RaceTablePath(const std::string& folder, Edition edition);

// Four lanes of multiply and xor: catches damage, not malice. Several GB/s. Any length.
std::uint64_t RaceChecksum(std::span<const std::byte> bytes);

// Writes the whole file or leaves what was there: a temporary file beside it is renamed when all of
// it is on the disk. Blocks for as long as the disk takes.
RaceFileResult<void> WriteRaceTable(const std::string& path, const RaceTable& table);

// Whether it could be written, found out before the minutes of a solve: makes the temporary file and removes it.
RaceFileResult<void> CheckRaceTablePlace(const std::string& path);

// Maps the file and reads all of it once. The table holds the mapping; the file may be replaced
// meanwhile, but not be changed.
RaceFileResult<std::shared_ptr<const RaceTable>> OpenRaceTable(const std::string& path,
                                                               Edition edition);

}  // namespace gpusim::camel_up
