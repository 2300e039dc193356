// The file of --token-file, which may change while the server runs.
//
// A thread looks every so often whether it has. A file that is not in order, or gone, changes nothing but for one line in the
// log; the tokens that were good stay good until it is mended.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include <sys/types.h>
#include <tl/expected.hpp>

#include "server/access/token_book.h"
#include "server/batching/mutex.h"

namespace gpusim::access {

// Thread-safe.
class TokenFile {
 public:
  // Takes one line at a time, on a thread of this object's or within Open; without any token.
  using Log = std::function<void(const std::string& line)>;

  // Blocks for the reading. The error is one line that names file, line and rule.
  static tl::expected<std::unique_ptr<TokenFile>, std::string> Open(
      std::string path, Log log, std::chrono::milliseconds look_every = std::chrono::seconds(1));
  ~TokenFile();
  TokenFile(const TokenFile&) = delete;
  TokenFile& operator=(const TokenFile&) = delete;

  std::optional<Identity> Find(std::string_view token) const GPUSIM_EXCLUDES(mutex_);

 private:
  // By what a change is seen; all 0 for a file that is not there.
  struct Stamp {
    std::int64_t modified_ns = 0;
    ino_t inode = 0;
    off_t bytes = 0;
    bool operator==(const Stamp&) const = default;
  };

  TokenFile(std::string path, Log log) : path_(std::move(path)), log_(std::move(log)) {}

  static Stamp StampOf(const std::string& path);
  static tl::expected<TokenBook, std::string> Read(const std::string& path);
  void Watch(std::chrono::milliseconds look_every) GPUSIM_EXCLUDES(mutex_);
  void Look() GPUSIM_EXCLUDES(mutex_);

  const std::string path_;
  const Log log_;
  Stamp stamp_;  // of Open, then of the thread
  mutable batching::Mutex mutex_;
  batching::CondVar closing_changed_;
  std::shared_ptr<const TokenBook> book_ GPUSIM_GUARDED_BY(mutex_);
  bool closing_ GPUSIM_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // uses all of the above
};

}  // namespace gpusim::access
