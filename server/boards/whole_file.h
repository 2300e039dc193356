// A file that is there whole or not at all: written under a temporary name beside its place, synced, and renamed; then the
// folder is synced, so that the rename lasts too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include <tl/expected.hpp>

namespace gpusim::boards {

struct FileFault {
  std::string what;      // one line, with the path
  bool no_room = false;  // the disk is full, or a quota is
};

template <class T>
using FileResult = tl::expected<T, FileFault>;

enum class FileStep : std::uint8_t { kCreate, kWrite, kSync, kRename, kSyncFolder };
// Called before each step of a write: 0 lets it happen, another value is the errno that it fails with. May not return at all
// (in tests).
using FileHook = std::function<int(FileStep)>;

// An open file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int descriptor = -1) : descriptor_(descriptor) {}
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();

  int get() const { return descriptor_; }
  bool open() const { return descriptor_ >= 0; }
  bool Close();

 private:
  int descriptor_;
};

// For one thread. Destroyed before Commit, it leaves nothing behind.
class WholeFile {
 public:
  static FileResult<std::unique_ptr<WholeFile>> Create(std::string path, FileHook hook);
  ~WholeFile();
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;

  FileResult<void> Append(std::span<const std::byte> bytes);
  // Over what is there already.
  FileResult<void> Rewrite(std::uint64_t at, std::span<const std::byte> bytes);
  FileResult<void> Commit();

 private:
  WholeFile(std::string path, std::string part, Descriptor file, FileHook hook);
  FileResult<void> Try(FileStep step, const std::function<bool()>& action);

  const std::string path_;
  const std::string part_;  // the temporary name
  Descriptor file_;
  const FileHook hook_;
  bool committed_ = false;
};

// Whether a file of this name is what a WholeFile left that never came to its end.
bool IsLeftover(const std::string& name);

// "path: why", for the errno of now.
FileFault FaultOf(const std::string& path, const std::string& what, int error);
// Syncs a folder, so that what was renamed or removed in it lasts.
bool SyncFolder(const std::string& folder);

}  // namespace gpusim::boards
