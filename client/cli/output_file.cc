#include "client/cli/output_file.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "client/cli/file_bytes.h"

namespace gpusim::cli {
namespace {

std::string CannotWrite(const std::string& path, int error) {
  return "cannot write " + (path == "-" ? "standard output" : path) + ": " + std::strerror(error);
}

}  // namespace

tl::expected<OutputFile, std::string> OutputFile::Open(std::string path, const Console& console) {
  if (path == "-") return OutputFile(std::move(path), "", -1, console);
  struct stat there {};
  const bool direct = stat(path.c_str(), &there) == 0 && !S_ISREG(there.st_mode);
  std::string growing = direct ? "" : path + ".part-" + std::to_string(getpid());
  const int flags = O_WRONLY | O_CLOEXEC | (direct ? 0 : O_CREAT | O_TRUNC);
  const int descriptor = open(direct ? path.c_str() : growing.c_str(), flags, 0666);
  if (descriptor < 0) return tl::unexpected(CannotWrite(path, errno));
  return OutputFile(std::move(path), std::move(growing), descriptor, console);
}

OutputFile::OutputFile(OutputFile&& other) noexcept
    : path_(std::move(other.path_)),
      growing_(std::exchange(other.growing_, "")),
      descriptor_(std::exchange(other.descriptor_, -1)),
      console_(other.console_),
      error_(other.error_) {}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) close(descriptor_);
  if (!growing_.empty()) unlink(growing_.c_str());
}

bool OutputFile::Write(std::string_view bytes) {
  if (error_ != 0) return false;
  const bool written =
      path_ == "-" ? console_.out(std::string(bytes)) : WriteAll(descriptor_, bytes);
  if (!written) error_ = errno;
  return error_ == 0;
}

tl::expected<void, std::string> OutputFile::Commit() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor >= 0 && close(descriptor) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && !growing_.empty() && std::rename(growing_.c_str(), path_.c_str()) != 0)
    error_ = errno;
  if (error_ != 0) return tl::unexpected(CannotWrite(path_, error_));
  growing_.clear();
  return {};
}

tl::expected<void, std::string> WriteFile(const std::string& path, std::string_view bytes,
                                          const Console& console) {
  auto file = OutputFile::Open(path, console);
  if (!file) return tl::unexpected(std::move(file.error()));
  file->Write(bytes);
  return file->Commit();
}

}  // namespace gpusim::cli
