// Lines from a descriptor, in bounded memory, with a word about when none is there yet.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <gpusim/cancellation.h>

namespace gpusim::cli {

class LineReader {
 public:
  enum class Found {
    kLine,
    kTooLong,  // more than kLongestLine: skipped
    kPause,    // none is there at the moment
    kEnd,
    kFailed,  // errno says why
    kCancelled,
  };
  static constexpr std::size_t kLongestLine = std::size_t{1} << 16;

  // Does not own the descriptor.
  LineReader(int descriptor, Cancellation cancellation)
      : descriptor_(descriptor), cancellation_(std::move(cancellation)) {}

  // `line` is without its end, and good until the next call. Without `may_wait`, kPause comes where
  // it would block; with it, it blocks until there is a line, the end, or the cancellation.
  Found Next(bool may_wait, std::string_view& line);

  // Of the last line, from 1.
  std::uint64_t number() const { return number_; }

 private:
  Found Fill(bool may_wait);

  const int descriptor_;
  const Cancellation cancellation_;
  std::string buffer_;
  std::size_t at_ = 0;        // of the next line in buffer_
  std::size_t searched_ = 0;  // no line end before
  bool skipping_ = false;     // within a line that is too long
  bool at_end_ = false;
  std::uint64_t number_ = 0;
};

}  // namespace gpusim::cli
