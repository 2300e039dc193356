#include "client/cli/live_view.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "client/cli/text.h"

namespace gpusim::cli {

void LiveView::Draw(const std::string& above, const std::string& line) {
  const Terminal& terminal = settings_.terminal;
  if (!terminal.redraws || std::chrono::steady_clock::now() - begin_ < kQuiet) return;
  const auto lines = static_cast<std::size_t>(std::count(above.begin(), above.end(), '\n'));
  const bool fits = terminal.columns >= 80 && lines + 2 <= static_cast<std::size_t>(terminal.rows);
  Clear();
  // The last column stays free: some terminals wrap as soon as it is written.
  const auto columns = static_cast<std::size_t>(std::max(terminal.columns - 1, 1));
  settings_.console.err((fits ? above : "") + line.substr(0, columns));
  lines_above_ = fits ? lines : 0;
  drawn_ = true;
}

void LiveView::Clear() {
  if (!drawn_) return;
  const std::string up = lines_above_ > 0 ? "\x1b[" + std::to_string(lines_above_) + "A" : "";
  settings_.console.err("\r" + up + "\x1b[J");
  drawn_ = false;
}

std::string ProgressBar(double share) {
  constexpr double kColumns = 30;
  const double bounded = std::clamp(share, 0.0, 1.0);
  const auto filled = static_cast<std::size_t>(bounded * kColumns);
  std::string bar(static_cast<std::size_t>(kColumns), ' ');
  std::fill_n(bar.begin(), filled, '#');
  return "[" + bar + "] " + Decimals(100 * bounded, 1) + "%";
}

std::string ClockText(double seconds) {
  constexpr double kLongest = 1e9;
  if (!(seconds >= 0 && seconds < kLongest)) return "?";
  const auto whole = static_cast<unsigned long long>(std::llround(seconds));
  char text[64];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60,
                  whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%llu:%02llu", whole / 60, whole % 60);
  }
  return text;
}

}  // namespace gpusim::cli
