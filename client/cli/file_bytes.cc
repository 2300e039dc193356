#include "client/cli/file_bytes.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace gpusim::cli {
namespace {

// More than a server takes; a bound so that an endless device is not read for ever.
constexpr std::size_t kLargestFile = std::size_t{1} << 30;

std::string CannotRead(const std::string& path, int error) {
  return "cannot read " + path + ": " + std::strerror(error);
}

tl::expected<std::string, std::string> ReadAll(int descriptor, const std::string& path) {
  std::string bytes;
  char buffer[1 << 16];
  for (;;) {
    const ssize_t count = read(descriptor, buffer, sizeof buffer);
    if (count == 0) return bytes;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return tl::unexpected(CannotRead(path, errno));
    bytes.append(buffer, static_cast<std::size_t>(count));
    if (bytes.size() > kLargestFile) {
      return tl::unexpected("cannot read " + path + ": it is longer than 1 GiB");
    }
  }
}

}  // namespace

tl::expected<std::string, std::string> ReadFile(const std::string& path) {
  if (path == "-") return ReadAll(STDIN_FILENO, "standard input");
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return tl::unexpected(CannotRead(path, errno));
  auto bytes = ReadAll(descriptor, path);
  close(descriptor);
  return bytes;
}

bool WriteAll(int descriptor, std::string_view bytes) {
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = write(descriptor, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace gpusim::cli
