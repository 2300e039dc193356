// A file that is there when all of it is: it grows beside its place and is renamed at the end.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <tl/expected.hpp>

#include "client/cli/command.h"

namespace gpusim::cli {

// Errors are lines for people, as those of file_bytes.h. What is not a plain file, such as a pipe
// or /dev/null, is written to directly.
class OutputFile {
 public:
  // '-' is stdout: the console, which has to outlive this.
  static tl::expected<OutputFile, std::string> Open(std::string path, const Console& console);
  // Removes what is not committed.
  ~OutputFile();
  OutputFile(OutputFile&& other) noexcept;
  OutputFile& operator=(OutputFile&&) = delete;

  // False when that cannot be done; Commit says why.
  bool Write(std::string_view bytes);
  tl::expected<void, std::string> Commit();

 private:
  OutputFile(std::string path, std::string growing, int descriptor, const Console& console)
      : path_(std::move(path)),
        growing_(std::move(growing)),
        descriptor_(descriptor),
        console_(console) {}

  std::string path_;
  std::string growing_;  // its name until the commit; empty when it has its own
  int descriptor_;       // -1: stdout, or over
  const Console& console_;
  int error_ = 0;  // of the first write that failed
};

// Open, Write and Commit.
tl::expected<void, std::string> WriteFile(const std::string& path, std::string_view bytes,
                                          const Console& console);

}  // namespace gpusim::cli
