// What is under way, redrawn in place on stderr.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "client/cli/command.h"

namespace gpusim::cli {

// Draws only where the terminal can move its cursor, and at first only after a second: what is
// over by then needs no progress. Not thread-safe.
class LiveView {
 public:
  explicit LiveView(const Settings& settings)
      : settings_(settings), begin_(std::chrono::steady_clock::now()) {}
  ~LiveView() { Clear(); }
  LiveView(const LiveView&) = delete;
  LiveView& operator=(const LiveView&) = delete;

  // `line` is cut to the terminal's width; `above` (whole lines, at most 80 columns) is left out
  // where it does not fit.
  void Draw(const std::string& above, const std::string& line);
  void Clear();

 private:
  static constexpr std::chrono::milliseconds kQuiet{1000};

  const Settings& settings_;
  const std::chrono::steady_clock::time_point begin_;
  std::size_t lines_above_ = 0;  // the cursor stands behind `line`
  bool drawn_ = false;
};

// "[#####     ] 41.2%"
std::string ProgressBar(double share);

// "1:05", "2:03:20"; "?" where nobody can tell.
std::string ClockText(double seconds);

}  // namespace gpusim::cli
