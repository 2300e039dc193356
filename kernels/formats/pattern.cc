#include "kernels/formats/pattern.h"

#include <algorithm>
#include <tuple>

namespace gpusim::formats {

std::uint64_t Pattern::LiveCells() const {
  std::uint64_t cells = 0;
  for (const CellRun& run : runs) cells += static_cast<std::uint64_t>(run.x_end - run.x_begin);
  return cells;
}

Box Pattern::LiveBox() const {
  if (runs.empty()) return {box.x, box.y, 0, 0};
  std::int64_t left = runs.front().x_begin;
  std::int64_t right = runs.front().x_end;
  for (const CellRun& run : runs) {
    left = std::min(left, run.x_begin);
    right = std::max(right, run.x_end);
  }
  return {left, runs.front().y, right - left, runs.back().y + 1 - runs.front().y};
}

void SortAndJoin(std::vector<CellRun>& runs) {
  const auto before = [](const CellRun& a, const CellRun& b) {
    return std::tie(a.y, a.x_begin) < std::tie(b.y, b.x_begin);
  };
  if (!std::is_sorted(runs.begin(), runs.end(), before)) {
    std::sort(runs.begin(), runs.end(), before);
  }
  std::size_t kept = 0;
  for (const CellRun& run : runs) {
    if (kept > 0 && runs[kept - 1].y == run.y && runs[kept - 1].x_end >= run.x_begin) {
      runs[kept - 1].x_end = std::max(runs[kept - 1].x_end, run.x_end);
    } else {
      runs[kept++] = run;
    }
  }
  runs.resize(kept);
}

bool Grow(Box& box, const CellRun& run) {
  if (box.Empty()) {
    box = {run.x_begin, run.y, run.x_end - run.x_begin, 1};
  } else {
    const std::int64_t right = std::max(box.x + box.width, run.x_end);
    const std::int64_t bottom = std::max(box.y + box.height, run.y + 1);
    box.x = std::min(box.x, run.x_begin);
    box.y = std::min(box.y, run.y);
    box.width = right - box.x;
    box.height = bottom - box.y;
  }
  return box.width <= kMaxExtent && box.height <= kMaxExtent;
}

std::string ExtentRule() {
  return "a pattern is " + std::to_string(kMaxExtent) + " cells wide and high at most";
}

std::string LiveCellsRule(const ReadLimits& limits) {
  return "a pattern has " + std::to_string(limits.max_live_cells) + " live cells at most here";
}

}  // namespace gpusim::formats
