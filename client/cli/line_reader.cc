#include "client/cli/line_reader.h"

#include <algorithm>
#include <cerrno>

#include <poll.h>
#include <unistd.h>

namespace gpusim::cli {

LineReader::Found LineReader::Next(bool may_wait, std::string_view& line) {
  for (;;) {
    const std::size_t end = buffer_.find('\n', searched_);
    const bool last = end == std::string::npos && at_end_;
    if (last && at_ == buffer_.size() && !skipping_) return Found::kEnd;
    if (end != std::string::npos || last) {
      const std::size_t stop = std::min(end, buffer_.size());
      line = std::string_view(buffer_).substr(at_, stop - at_);
      if (line.ends_with('\r')) line.remove_suffix(1);
      at_ = searched_ = std::min(stop + 1, buffer_.size());
      ++number_;
      const bool too_long = skipping_ || line.size() > kLongestLine;
      skipping_ = false;
      return too_long ? Found::kTooLong : Found::kLine;
    }
    searched_ = buffer_.size();
    if (buffer_.size() - at_ > kLongestLine) {
      skipping_ = true;
      at_ = buffer_.size();
    }
    if (const Found found = Fill(may_wait); found != Found::kLine) return found;
  }
}

// kLine: there is more, or the end is reached.
LineReader::Found LineReader::Fill(bool may_wait) {
  // The cancellation comes from another thread, and nothing wakes a read.
  constexpr int kLookMs = 100;
  pollfd ready{.fd = descriptor_, .events = POLLIN, .revents = 0};
  for (;;) {
    if (cancellation_.cancelled()) return Found::kCancelled;
    const int count = poll(&ready, 1, may_wait ? kLookMs : 0);
    if (count > 0) break;
    if (count < 0 && errno != EINTR) return Found::kFailed;
    if (count == 0 && !may_wait) return Found::kPause;
  }
  constexpr std::size_t kChunk = std::size_t{1} << 18;
  buffer_.erase(0, at_);
  searched_ -= at_;
  at_ = 0;
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kChunk);
  const ssize_t count = read(descriptor_, buffer_.data() + before, kChunk);
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  if (count < 0 && errno != EINTR) return Found::kFailed;
  if (count == 0) at_end_ = true;
  return Found::kLine;
}

}  // namespace gpusim::cli
