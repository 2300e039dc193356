#include "client/cli/board_view.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include "client/cancellation_state.h"
#include "client/cli/board_picture.h"
#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/life_facts.h"
#include "client/cli/life_report.h"
#include "client/cli/screen.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

// 1 would be the cells themselves.
constexpr std::uint64_t kLeastCell = 2;
constexpr std::uint64_t kMostCell = 65536;

std::uint64_t CeilDiv(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

std::string StatusLine(const v1::WatchBoardResponse& frame) {
  std::string line = "generation " + std::to_string(frame.facts().generation()) + "  population " +
                     std::to_string(frame.facts().population());
  if (frame.generations_per_second() > 0)
    line += "  " + GenerationRate(frame.generations_per_second());
  return line;
}

// Each line over what stood there before.
std::string OverTheScreen(const std::string& picture, const std::string& status,
                          const Terminal& terminal) {
  std::string text = "\x1b[H";
  for (const char c : picture) {
    if (c == '\n') text += "\x1b[K";
    text += c;
  }
  const auto columns = static_cast<std::size_t>(std::max(terminal.columns - 1, 1));
  return text + status.substr(0, columns) + "\x1b[K\x1b[J";
}

}  // namespace

BoardView::BoardView(const Settings& settings, ProtoClient& client, const CallOptions& options,
                     v1::WatchBoardRequest request)
    : settings_(settings),
      client_(client),
      options_(options),
      request_(std::move(request)),
      drawn_(settings.terminal.is_terminal && settings.terminal.redraws &&
             settings.format == Format::kTable),
      cell_given_(request_.density_cell() > 0),
      terminal_(settings.terminal) {}

void BoardView::End() { Restart(/*end=*/true); }

// Ends the call under way, for ever or to begin another one.
void BoardView::Restart(bool end) {
  Cancellation round;
  {
    const std::lock_guard lock(mutex_);
    over_ = over_ || end;
    resized_ = true;
    round = round_;
  }
  // Outside the lock: the call may end on this thread.
  round.Cancel();
}

tl::expected<void, Failure> BoardView::Show() {
  if (auto learned = LearnSize(); !learned) return learned;
  std::unique_ptr<Screen> screen;
  if (drawn_) {
    screen = std::make_unique<Screen>(
        [this](char key) {
          if (key == 'q' || key == 'Q') End();
        },
        [this] { Restart(/*end=*/false); });
  }
  return Watch();
}

tl::expected<void, Failure> BoardView::LearnSize() {
  width_ = request_.region().width();
  height_ = request_.region().height();
  if (request_.has_region()) return {};
  v1::GetBoardRequest request;
  request.set_name(request_.name());
  const auto reply = client_.boards().Get(request, options_);
  if (!reply) return tl::unexpected(Report(reply.error()));
  width_ = reply->board().width();
  height_ = reply->board().height();
  return {};
}

// The cells themselves where they fit, else squares as small as fit: a column each, and a line for
// two, below which there is the line of figures. Lines of text need no picture at all.
void BoardView::ChooseCell() {
  if (cell_given_) return;
  std::uint64_t cell = std::max(width_, height_);
  if (drawn_) {
    const auto columns = static_cast<std::uint64_t>(std::max(terminal_.columns, 1));
    const auto lines = static_cast<std::uint64_t>(std::max(terminal_.rows - 1, 1));
    cell = PictureFits(width_, height_, terminal_)
               ? 0
               : std::max({CeilDiv(width_, columns), CeilDiv(height_, 2 * lines), kLeastCell});
  } else {
    cell = std::max(cell, kLeastCell);
  }
  request_.set_density_cell(static_cast<std::uint32_t>(std::min(cell, kMostCell)));
}

tl::expected<void, Failure> BoardView::Watch() {
  const Cancellation interruption = options_.cancellation.value_or(Cancellation());
  for (;;) {
    Cancellation round;
    {
      const std::lock_guard lock(mutex_);
      if (over_) return {};
      round_ = round;
      resized_ = false;
    }
    if (drawn_) terminal_ = SizedAsNow(settings_.terminal);
    ChooseCell();
    const auto id = interruption.state().Add([round]() mutable { round.Cancel(); });
    const auto watched = client_.boards().Watch(
        request_, [this](const v1::WatchBoardResponse& frame) { return Take(frame); },
        {.timeout = {}, .cancellation = round});
    interruption.state().Remove(id);
    if (interruption.cancelled()) return Fail(kExitInterrupted, "interrupted");
    if (write_error_ != 0) {
      return Fail(kExitFailed,
                  std::string("cannot write to stdout: ") + std::strerror(write_error_));
    }
    const std::lock_guard lock(mutex_);
    if (over_) return {};
    if (resized_) continue;
    if (!watched) return tl::unexpected(Report(watched.error()));
    return Fail(kExitFailed, "the server is stopping, or closing old connections");
  }
}

bool BoardView::Take(const v1::WatchBoardResponse& frame) {
  const std::string text =
      drawn_ ? OverTheScreen(Picture(frame), StatusLine(frame) + "  q quits", terminal_)
             : Line(frame);
  if (!settings_.console.out(text)) write_error_ = errno;
  return write_error_ == 0;
}

std::string BoardView::Picture(const v1::WatchBoardResponse& frame) const {
  return frame.has_density() ? DensityPicture(frame.density(), terminal_.utf8)
                             : BoardPicture(frame.packed(), terminal_.utf8);
}

std::string BoardView::Line(const v1::WatchBoardResponse& frame) {
  const std::vector<v1::Fact> facts = [this] {
    std::vector<v1::Fact> all;
    for (const int fact : request_.facts()) all.push_back(static_cast<v1::Fact>(fact));
    return all;
  }();
  switch (settings_.format) {
    case Format::kJson: {
      if (cell_given_) return ToJsonLine(frame);
      v1::WatchBoardResponse facts_only = frame;
      facts_only.clear_frame();
      return ToJsonLine(facts_only);
    }
    case Format::kCsv: {
      std::string text;
      auto columns = FactColumns(facts);
      columns.insert(columns.end(), {"generations_per_second", "skipped"});
      if (!std::exchange(headed_, true)) text = CsvLine(columns);
      auto values = FactValues(frame.facts(), facts);
      values.insert(values.end(),
                    {Number(frame.generations_per_second()), std::to_string(frame.skipped())});
      return text + CsvLine(values);
    }
    case Format::kTable:
      break;
  }
  return StatusLine(frame) + '\n';
}

}  // namespace gpusim::cli
