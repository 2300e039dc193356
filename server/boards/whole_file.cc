#include "server/boards/whole_file.h"

#include <cerrno>
#include <cstdio>
#include <string_view>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

namespace gpusim::boards {
namespace {

constexpr std::string_view kPart = ".part-";
constexpr std::size_t kRandomLetters = 6;  // of mkostemp

std::string FolderOf(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "." : path.substr(0, slash + 1);
}

bool WriteAt(int descriptor, std::uint64_t at, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = pwrite(descriptor, bytes.data(), bytes.size(), static_cast<off_t>(at));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

}  // namespace

Descriptor::Descriptor(Descriptor&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

Descriptor::~Descriptor() {
  if (descriptor_ >= 0) close(descriptor_);
}

bool Descriptor::Close() { return close(std::exchange(descriptor_, -1)) == 0; }

FileFault FaultOf(const std::string& path, const std::string& what, int error) {
  return {.what = path + ": " + what + ": " + std::generic_category().message(error),
          .no_room = error == ENOSPC || error == EDQUOT || error == EFBIG};
}

// A file system that has no such thing says EINVAL.
bool SyncFolder(const std::string& folder) {
  const Descriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return opened.open() && (fsync(opened.get()) == 0 || errno == EINVAL);
}

bool IsLeftover(const std::string& name) {
  return name.size() > kPart.size() + kRandomLetters &&
         name.compare(name.size() - kRandomLetters - kPart.size(), kPart.size(), kPart) == 0;
}

FileResult<std::unique_ptr<WholeFile>> WholeFile::Create(std::string path, FileHook hook) {
  if (const int error = hook ? hook(FileStep::kCreate) : 0; error != 0)
    return tl::unexpected(FaultOf(path, "cannot be written", error));
  std::string part = path + std::string(kPart) + std::string(kRandomLetters, 'X');
  Descriptor file(mkostemp(part.data(), O_CLOEXEC));
  if (!file.open()) return tl::unexpected(FaultOf(path, "cannot be written", errno));
  return std::unique_ptr<WholeFile>(
      new WholeFile(std::move(path), std::move(part), std::move(file), std::move(hook)));
}

WholeFile::WholeFile(std::string path, std::string part, Descriptor file, FileHook hook)
    : path_(std::move(path)),
      part_(std::move(part)),
      file_(std::move(file)),
      hook_(std::move(hook)) {}

WholeFile::~WholeFile() {
  if (!committed_) unlink(part_.c_str());
}

FileResult<void> WholeFile::Try(FileStep step, const std::function<bool()>& action) {
  int error = hook_ ? hook_(step) : 0;
  if (error == 0 && !action()) error = errno;
  if (error != 0) return tl::unexpected(FaultOf(path_, "cannot be written", error));
  return {};
}

FileResult<void> WholeFile::Append(std::span<const std::byte> bytes) {
  const off_t end = lseek(file_.get(), 0, SEEK_END);
  return Rewrite(static_cast<std::uint64_t>(end), bytes);
}

FileResult<void> WholeFile::Rewrite(std::uint64_t at, std::span<const std::byte> bytes) {
  return Try(FileStep::kWrite, [&] { return WriteAt(file_.get(), at, bytes); });
}

FileResult<void> WholeFile::Commit() {
  if (auto synced = Try(FileStep::kSync, [&] { return fsync(file_.get()) == 0 && file_.Close(); });
      !synced)
    return synced;
  auto renamed = Try(FileStep::kRename, [&] { return rename(part_.c_str(), path_.c_str()) == 0; });
  if (!renamed) return renamed;
  committed_ = true;
  return Try(FileStep::kSyncFolder, [&] { return SyncFolder(FolderOf(path_)); });
}

}  // namespace gpusim::boards
