#include "client/cli/raw_rows.h"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpusim::cli {
namespace {

struct RawFile {
  ~RawFile() {
    if (descriptor > STDIN_FILENO) close(descriptor);
  }
  std::string name;
  int descriptor = -1;
  bool seekable = false;
  std::uint64_t position = 0;  // of what cannot seek
};

tl::unexpected<Error> Failed(std::string message) {
  Error error{.code = StatusCode::kInvalidArgument, .message = std::move(message)};
  error.connected = false;
  return tl::unexpected(std::move(error));
}

Result<std::string> ReadAt(RawFile& file, std::uint64_t offset, std::uint64_t count) {
  if (!file.seekable && offset != file.position)
    return Failed(file.name + " cannot be read again; pass a file");
  std::string bytes(count, '\0');
  std::uint64_t done = 0;
  while (done < count) {
    const ssize_t got = file.seekable ? pread(file.descriptor, bytes.data() + done, count - done,
                                              static_cast<off_t>(offset + done))
                                      : read(file.descriptor, bytes.data() + done, count - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Failed("cannot read " + file.name + ": " + std::strerror(errno));
    if (got == 0) {
      return Failed(file.name + " ends after " + std::to_string(offset + done) +
                    " bytes, before the board does");
    }
    done += static_cast<std::uint64_t>(got);
  }
  file.position = offset + count;
  return bytes;
}

}  // namespace

tl::expected<StreamedRows, std::string> OpenRawRows(const std::string& path, std::uint32_t width,
                                                    std::uint32_t height) {
  const auto file = std::make_shared<RawFile>();
  file->name = path == "-" ? "standard input" : path;
  file->descriptor = path == "-" ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat there {};
  if (file->descriptor < 0 || fstat(file->descriptor, &there) != 0)
    return tl::unexpected("cannot read " + file->name + ": " + std::strerror(errno));
  file->seekable = S_ISREG(there.st_mode) && path != "-";
  const std::uint64_t row_bytes = (std::uint64_t{width} + 7) / 8;
  const std::uint64_t expected = row_bytes * height;
  if (file->seekable && static_cast<std::uint64_t>(there.st_size) != expected) {
    return tl::unexpected(file->name + " has " + std::to_string(there.st_size) + " bytes, but " +
                          std::to_string(width) + "x" + std::to_string(height) + " cells have " +
                          std::to_string(expected));
  }
  return StreamedRows{.width = width,
                      .height = height,
                      .read = [file, row_bytes](std::uint64_t first, std::uint64_t count) {
                        return ReadAt(*file, first * row_bytes, count * row_bytes);
                      }};
}

}  // namespace gpusim::cli
