#include "server/access/token_file.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>
#include <vector>

#include <openssl/crypto.h>
#include <sys/stat.h>

namespace gpusim::access {
namespace {

constexpr std::size_t kMostFileBytes = 1u << 20;
constexpr std::size_t kMostFaultsTold = 5;

std::string OneLine(const std::vector<std::string>& faults) {
  std::string line;
  for (std::size_t i = 0; i < std::min(faults.size(), kMostFaultsTold); ++i)
    line += (i == 0 ? "" : "; ") + faults[i];
  if (faults.size() > kMostFaultsTold)
    line += " (and " + std::to_string(faults.size() - kMostFaultsTold) + " more)";
  return line;
}

std::string CountText(std::size_t tokens) {
  return std::to_string(tokens) + (tokens == 1 ? " token" : " tokens");
}

}  // namespace

TokenFile::Stamp TokenFile::StampOf(const std::string& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) return {};
  return {
      .modified_ns = std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + status.st_mtim.tv_nsec,
      .inode = status.st_ino,
      .bytes = status.st_size};
}

tl::expected<TokenBook, std::string> TokenFile::Read(const std::string& path) {
  std::string text(kMostFileBytes + 1, '\0');
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!file.is_open() || file.bad())
    return tl::unexpected(
        path + ": cannot be read: " + (errno == 0 ? "it is no plain file" : std::strerror(errno)));
  const auto bytes = static_cast<std::size_t>(file.gcount());
  if (bytes > kMostFileBytes)
    return tl::unexpected(path + ": it has more than " + std::to_string(kMostFileBytes) + " bytes");
  auto book = TokenBook::Parse(std::string_view(text).substr(0, bytes), path);
  OPENSSL_cleanse(text.data(), bytes);
  if (!book) return tl::unexpected(OneLine(book.error()));
  return *std::move(book);
}

tl::expected<std::unique_ptr<TokenFile>, std::string> TokenFile::Open(
    std::string path, Log log, std::chrono::milliseconds look_every) {
  std::unique_ptr<TokenFile> file(new TokenFile(std::move(path), std::move(log)));
  // Before the reading, so that what changes afterwards is seen.
  file->stamp_ = StampOf(file->path_);
  auto book = Read(file->path_);
  if (!book) return tl::unexpected(std::move(book.error()));
  file->log_(CountText(book->size()) + " in " + file->path_);
  {
    const batching::MutexLock lock(file->mutex_);
    file->book_ = std::make_shared<const TokenBook>(*std::move(book));
  }
  file->thread_ = std::thread([raw = file.get(), look_every] { raw->Watch(look_every); });
  return file;
}

TokenFile::~TokenFile() {
  if (!thread_.joinable()) return;
  {
    const batching::MutexLock lock(mutex_);
    closing_ = true;
    closing_changed_.NotifyAll();
  }
  thread_.join();
}

std::optional<Identity> TokenFile::Find(std::string_view token) const {
  std::shared_ptr<const TokenBook> book;
  {
    const batching::MutexLock lock(mutex_);
    book = book_;
  }
  return book->Find(token);
}

void TokenFile::Watch(std::chrono::milliseconds look_every) {
  while (true) {
    const auto next = std::chrono::steady_clock::now() + look_every;
    {
      const batching::MutexLock lock(mutex_);
      while (!closing_ && std::chrono::steady_clock::now() < next)
        closing_changed_.WaitUntil(mutex_, next);
      if (closing_) return;
    }
    Look();
  }
}

void TokenFile::Look() {
  const Stamp stamp = StampOf(path_);
  if (stamp == stamp_) return;
  stamp_ = stamp;
  auto book = Read(path_);
  if (!book) return log_("the tokens stay as they were: " + book.error());
  log_(CountText(book->size()) + " in " + path_ + ", which has changed");
  const batching::MutexLock lock(mutex_);
  book_ = std::make_shared<const TokenBook>(*std::move(book));
}

}  // namespace gpusim::access
