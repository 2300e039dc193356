// Lines become runs: rows of one edition, as many as a call takes, or as there are when the input
// pauses. Three runs are under way at most, and printed in their order, so that memory is bounded
// whatever the file's size:
//
//   lines --read--> run being filled --send--> under_way_ (oldest first) --wait--> lines out
#include "client/cli/camel_up_batch.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <unistd.h>

#include "client/cli/error_report.h"
#include "client/cli/line_reader.h"
#include "client/cli/live_view.h"
#include "client/cli/odds_line.h"
#include "client/cli/position_line.h"
#include "client/cli/position_options.h"
#include "client/cli/text.h"
#include "client/messages.h"

namespace gpusim::cli {
namespace {

constexpr const char* kHelp =
    "A line of input is a position as a JSON object, in the notation of the other commands or as\n"
    "the protobuf JSON of a Position; tiles and dice may be missing, empty lines are passed over:\n"
    "  {\"edition\": 1, \"position\": \"1:BGO 2:Y 3:W\", \"tiles\": \"6+ 8-\", \"dice\": "
    "\"BGOYW\"}\n"
    "  {\"edition\": \"EDITION_FIRST\", \"stacks\": [{\"space\": 1, \"camels\": [\"CAMEL_BLUE\", "
    "...]}, ...]}\n"
    "A line of output has the number of its line of input and the odds, named as in the JSON of\n"
    "'odds', or an error:\n"
    "  "
    "{\"line\":1,\"totalWeight\":29160,\"camels\":[{\"camel\":\"CAMEL_BLUE\",\"rankWeight\":[...]},"
    "...],...}\n"
    "  "
    "{\"line\":2,\"error\":{\"code\":\"INVALID_ARGUMENT\",\"message\":\"...\",\"violations\":[...]}"
    "}\n"
    "Exit status 1 if a line failed. Lines of one edition that follow one another share a call.";

// What a row takes of a reply.
std::size_t RowBytes(const std::vector<v1::Output>& outputs) {
  std::size_t bytes = 1 + 4 + 8;
  for (const v1::Output output : outputs) {
    switch (output) {
      case v1::OUTPUT_LEG_RANKS:
      case v1::OUTPUT_LEG_PAIRS:
        bytes += 100;
        break;
      case v1::OUTPUT_LANDINGS:
        bytes += 64;
        break;
      case v1::OUTPUT_LEG_VALUES:
        bytes += 60;
        break;
      case v1::OUTPUT_RACE:
        bytes += 88;
        break;
      case v1::OUTPUT_RACE_JOINT:
        bytes += 200;
        break;
      default:
        break;
    }
  }
  return bytes;
}

class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  ~Descriptor() {
    if (number_ > STDERR_FILENO) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number() const { return number_; }

 private:
  const int number_;
};

// Lines that go in one call, with those among them that go nowhere.
struct Run {
  struct Line {
    std::uint64_t number = 0;
    std::optional<Error> error = {};
  };
  Edition edition = Edition::kFirst;
  std::vector<Line> lines = {};
  std::vector<AnyPosition> positions = {};  // of the lines without an error
  OddsColumnsRequest request = {};
  std::vector<RowError> faults = {};
  std::optional<std::future<Result<v1::GetOddsColumnsResponse>>> reply = {};  // none: all failed
};

Edition EditionOf(const AnyPosition& position) {
  return std::visit([](const auto& any) { return any.edition; }, position);
}

// Of the whole call, but true of every row of it; the next call may be better.
bool FailsTheRowsAlone(const Error& error) {
  return error.connected && (error.code == StatusCode::kInvalidArgument ||
                             error.code == StatusCode::kFailedPrecondition);
}

class Batch {
 public:
  Batch(const Settings& settings, ProtoClient& client, const CallOptions& options,
        const std::vector<v1::Output>& outputs, std::uint64_t max_reply_bytes)
      : settings_(settings),
        client_(client),
        options_(options),
        max_reply_bytes_(max_reply_bytes),
        view_(settings) {
    for (const v1::Output output : outputs) outputs_.push_back(static_cast<OddsOutput>(output));
    // Room for what the server says about the first 32 rows that fail.
    constexpr std::uint64_t kFailures = 256 << 10;
    const std::uint64_t room =
        max_reply_bytes > 2 * kFailures ? max_reply_bytes - kFailures : max_reply_bytes / 2;
    // A server on a CPU works for a millisecond or two on a row, and the deadlines of all calls under
    // way run from their sending.
    constexpr std::uint64_t kRowsInTime = 2048;
    static_assert(kRowsInTime <= kMaxColumnRows);
    max_rows_ = std::clamp<std::uint64_t>(room / RowBytes(outputs), 1, kRowsInTime);
  }

  tl::expected<Output, Failure> Go(int descriptor) {
    LineReader reader(descriptor, options_.cancellation.value_or(Cancellation()));
    for (;;) {
      // With an answer under way, that is what is worth waiting for.
      const bool idle = run_.lines.empty() && under_way_.empty();
      std::string_view line;
      const LineReader::Found found = reader.Next(idle, line);
      tl::expected<void, Failure> done;
      switch (found) {
        case LineReader::Found::kLine:
        case LineReader::Found::kTooLong:
          done = Take(reader.number(), line, found == LineReader::Found::kTooLong);
          break;
        case LineReader::Found::kPause:
          done = run_.lines.empty() ? PrintOldest() : Send();
          break;
        case LineReader::Found::kEnd:
          done = Send().and_then([&] { return PrintAll(); });
          if (done) return Summary();
          break;
        case LineReader::Found::kFailed:
          return Fail(kExitFailed, std::string("cannot read the positions: ") + strerror(errno));
        case LineReader::Found::kCancelled:
          return Fail(kExitInterrupted, "interrupted");
      }
      if (!done) return tl::unexpected(std::move(done.error()));
    }
  }

 private:
  tl::expected<void, Failure> Take(std::uint64_t number, std::string_view line, bool too_long) {
    if (!too_long && line.find_first_not_of(" \t") == line.npos) return {};
    Result<AnyPosition> position =
        too_long ? tl::unexpected(Error{.code = StatusCode::kInvalidArgument,
                                        .message = "the line is longer than 64 KiB"})
                 : ParsePositionLine(line);
    const bool other = position && !run_.positions.empty() && EditionOf(*position) != run_.edition;
    if (other || run_.lines.size() >= max_rows_) {
      if (auto sent = Send(); !sent) return sent;
    }
    if (position) {
      run_.edition = EditionOf(*position);
      run_.positions.push_back(std::move(*position));
      run_.lines.push_back({number, {}});
    } else {
      run_.lines.push_back({number, std::move(position.error())});
    }
    return {};
  }

  tl::expected<void, Failure> Send() {
    if (run_.lines.empty()) return {};
    constexpr std::size_t kUnderWay = 3;
    if (under_way_.size() >= kUnderWay) {
      if (auto printed = PrintOldest(); !printed) return printed;
    }
    Run& run = under_way_.emplace_back(std::exchange(run_, Run{}));
    if (run.positions.empty()) return {};
    PackedPositions packed = PackPositions(run.edition, run.positions);
    run.positions = {};
    run.faults = std::move(packed.faults);
    run.request = std::move(packed.request);
    run.request.outputs = outputs_;
    run.request.max_reply_bytes = max_reply_bytes_;
    auto promise = std::make_shared<std::promise<Result<v1::GetOddsColumnsResponse>>>();
    run.reply = promise->get_future();
    client_.GetOddsColumnsAsync(
        ToMessage(run.request),
        [promise](Result<v1::GetOddsColumnsResponse> reply) {
          promise->set_value(std::move(reply));
        },
        options_);
    return {};
  }

  tl::expected<void, Failure> PrintAll() {
    while (!under_way_.empty()) {
      if (auto printed = PrintOldest(); !printed) return printed;
    }
    return {};
  }

  tl::expected<void, Failure> PrintOldest() {
    Run run = std::move(under_way_.front());
    under_way_.pop_front();
    OddsColumns columns;
    if (run.reply) {
      auto reply = run.reply->get().and_then(
          [](const v1::GetOddsColumnsResponse& message) { return FromMessage(message); });
      if (reply && reply->rows != run.request.rows) {
        return Fail(kExitFailed, "the server answered " + std::to_string(reply->rows) +
                                     " rows of " + std::to_string(run.request.rows));
      }
      if (reply) {
        columns = std::move(*reply);
      } else if (FailsTheRowsAlone(reply.error())) {
        for (std::uint32_t row = 0; row < run.request.rows; ++row)
          columns.failed.push_back({row, reply.error()});
      } else {
        return tl::unexpected(Report(reply.error()));
      }
      MergeFaults(std::move(run.faults), columns);
    }
    return Write(run, columns);
  }

  tl::expected<void, Failure> Write(const Run& run, const OddsColumns& columns) {
    std::string out;
    auto failed = columns.failed.begin();
    std::uint32_t row = 0;
    for (const Run::Line& line : run.lines) {
      const Error* error = line.error ? &*line.error : nullptr;
      if (error == nullptr && failed != columns.failed.end() && failed->row == row)
        error = &(failed++)->error;
      if (error != nullptr) {
        AppendErrorLine(line.number, *error, out);
        ++failed_lines_;
      } else {
        AppendOddsLine(line.number, run.request, columns, row, out);
        ++answered_;
      }
      if (!line.error) ++row;
    }
    view_.Clear();
    if (!settings_.console.out(out))
      return Fail(kExitFailed, std::string("cannot write to stdout: ") + strerror(errno));
    if (!settings_.terminal.is_terminal) view_.Draw("", Figures());
    return {};
  }

  std::string Figures() const {
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    std::string text = std::to_string(answered_) + " positions in " + Decimals(seconds, 2) +
                       " s: " + Decimals(static_cast<double>(answered_) / seconds, 0) +
                       " positions/s";
    if (failed_lines_ > 0) text += "; failed lines: " + std::to_string(failed_lines_);
    return text;
  }

  Output Summary() {
    view_.Clear();
    return Output{"", Figures() + '\n', failed_lines_ > 0 ? kExitFailed : kExitOk};
  }

  const Settings& settings_;
  ProtoClient& client_;
  const CallOptions& options_;
  std::vector<OddsOutput> outputs_;
  const std::uint64_t max_reply_bytes_;
  std::size_t max_rows_ = 0;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  LiveView view_;
  Run run_;
  std::deque<Run> under_way_;
  std::uint64_t answered_ = 0;
  std::uint64_t failed_lines_ = 0;
};

class CamelUpBatch : public Command {
 public:
  explicit CamelUpBatch(CLI::App& app) : outputs_option_(app) {
    app.add_option("positions", path_, "A file of positions, one a line; - is stdin");
    AddHelp(app, kHelp);
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (path_.empty()) return WrongUsage("no file of positions; pass one, or - for standard input");
    if (settings.format == Format::kCsv)
      return WrongUsage("--format csv does not go with batch, which writes lines of JSON");
    auto outputs = outputs_option_.Read(Format::kJson);
    if (!outputs) return tl::unexpected(outputs.error());
    outputs_ = std::move(*outputs);
    if (outputs_.empty()) outputs_.push_back(v1::OUTPUT_LEG_RANKS);
    file_.emplace(path_ == "-" ? STDIN_FILENO : open(path_.c_str(), O_RDONLY | O_CLOEXEC));
    if (file_->number() < 0)
      return Fail(kExitFailed, "cannot read " + path_ + ": " + std::strerror(errno));
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto info = client.GetInfo({}, options);
    if (!info) return tl::unexpected(Report(info.error()));
    std::uint64_t max_reply_bytes = 4 << 20;
    for (const v1::Limit& limit : info->limits()) {
      if (limit.flag() == "max-columns-reply-bytes") max_reply_bytes = limit.value();
    }
    return Batch(settings, client, options, outputs_, max_reply_bytes).Go(file_->number());
  }

 private:
  OutputOptions outputs_option_;
  std::string path_;
  std::vector<v1::Output> outputs_;
  std::optional<Descriptor> file_;
};

}  // namespace

std::unique_ptr<Command> MakeCamelUpBatch(CLI::App& app) {
  return std::make_unique<CamelUpBatch>(app);
}

}  // namespace gpusim::cli
