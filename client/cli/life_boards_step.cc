// Runs a resident board and shows how far it is. What ends the call (Ctrl-C too) leaves the board
// at a whole generation, and the last line says how to go on.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/life_facts.h"
#include "client/cli/life_step.h"
#include "client/cli/live_view.h"
#include "client/cli/provenance_text.h"

namespace gpusim::cli {
namespace {

std::string ReasonWords(const v1::StepBoardResponse& last) {
  switch (last.stop_reason()) {
    case v1::STOP_REASON_TARGET:
      return "the target is reached";
    case v1::STOP_REASON_CONDITION:
      return "the condition is met" +
             (last.period() > 0 ? ", period " + std::to_string(last.period()) : std::string());
    case v1::STOP_REASON_TIME:
      return "the time is up";
    case v1::STOP_REASON_STOPPED:
      return "it was stopped";
    case v1::STOP_REASON_DRAINING:
      return "the server is stopping";
    default:
      return "it runs on the server";
  }
}

class BoardStep : public Command {
 public:
  BoardStep(CLI::App& app, const StepOptions& step, const std::string& board)
      : step_(step), board_(board) {
    app.add_option("--to", to_, "Of a board: the generation to run to, instead of --generations");
    app.add_option("--max-duration", max_duration_, "Of a board: end after that time: 10s");
    app.add_option("--if-generation", if_generation_,
                   "Of a board: only if it is at this generation");
    app.add_flag("--detached", detached_, "Of a board: start the run and leave it to the server");
    app.add_flag("--queue", queue_, "Of a board: wait for the run under way");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    request_.set_name(board_);
    if (auto target = ReadTarget(); !target) return target;
    const auto duration = ReadValue("--max-duration", max_duration_, ParseDuration);
    if (!duration) return tl::unexpected(duration.error());
    if (*duration) {
      const auto ms = std::chrono::ceil<std::chrono::milliseconds>(**duration);
      request_.set_max_duration_ms(static_cast<std::uint64_t>(ms.count()));
    }
    const auto only_at = ReadValue("--if-generation", if_generation_, ParseCount);
    if (!only_at) return tl::unexpected(only_at.error());
    if (*only_at) request_.set_if_generation(**only_at);
    request_.set_detached(detached_);
    request_.set_queue(queue_);
    step_.run().Fill(request_);
    if (detached_ && step_.facts_every() > 0)
      return WrongUsage("--facts-every needs somebody who reads; leave out --detached");
    request_.set_facts_every(step_.facts_every());
    constexpr std::uint32_t kRedrawMs = 250;
    if (settings.terminal.redraws) request_.set_progress_interval_ms(kRedrawMs);
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    Result<v1::StepBoardResponse> run;
    int write_error = 0;
    {
      LiveView view(settings);
      run = client.boards().Step(
          request_,
          [&](const v1::StepBoardResponse& progress) {
            if (!last_) first_generation_ = progress.facts().generation();
            last_ = progress;
            view.Clear();
            if (!Tell(settings, progress)) write_error = errno;
            view.Draw("", Progress(progress));
            return write_error == 0;
          },
          WithTimeout(settings, options));
    }
    if (write_error != 0)
      return Fail(kExitFailed,
                  std::string("cannot write to stdout: ") + std::strerror(write_error));
    if (!run) return tl::unexpected(Broken(run.error()));
    if (run->stop_reason() == v1::STOP_REASON_DRAINING)
      return tl::unexpected(Broken(Failure{kExitFailed, {"the server is stopping"}}));
    return Show(settings, *run);
  }

 private:
  tl::expected<void, Failure> ReadTarget() {
    const auto to = ReadValue("--to", to_, ParseCount);
    if (!to) return tl::unexpected(to.error());
    if (*to && step_.generations())
      return WrongUsage("--to and --generations are two targets; pass one");
    if (*to) {
      request_.set_to_generation(**to);
    } else if (step_.generations()) {
      request_.set_generations(*step_.generations());
    } else {
      return WrongUsage("no target; pass --generations N or --to N");
    }
    return {};
  }

  // A row of a series goes out as it comes, but for a table, which is aligned at the end.
  bool Tell(const Settings& settings, const v1::StepBoardResponse& progress) {
    if (request_.facts_every() == 0) return true;
    rows_.push_back(progress.facts());
    if (settings.format == Format::kTable) return true;
    if (settings.format == Format::kJson) return settings.console.out(ToJsonLine(progress));
    const auto& facts = step_.run().facts();
    std::string lines;
    if (std::exchange(headed_, true) == false) lines = CsvLine(FactColumns(facts));
    lines += CsvLine(FactValues(progress.facts(), facts));
    rows_.clear();
    return settings.console.out(lines);
  }

  // By generations or by time, whichever end is nearer; a condition cannot be foreseen.
  std::string Progress(const v1::StepBoardResponse& progress) const {
    const std::uint64_t at = progress.facts().generation();
    const std::uint64_t target = progress.target_generation();
    const auto elapsed_s = static_cast<double>(progress.elapsed_ms()) / 1000;
    double left_s = -1;
    if (progress.generations_per_second() > 0 && target >= at)
      left_s = static_cast<double>(target - at) / progress.generations_per_second();
    double share = target > first_generation_ ? static_cast<double>(at - first_generation_) /
                                                    static_cast<double>(target - first_generation_)
                                              : 0;
    if (request_.max_duration_ms() > 0) {
      const auto duration_s = static_cast<double>(request_.max_duration_ms()) / 1000;
      share = std::max(share, elapsed_s / duration_s);
      left_s = left_s < 0 ? duration_s - elapsed_s : std::min(left_s, duration_s - elapsed_s);
    }
    return ProgressBar(share) + "  generation " + std::to_string(at) + "  population " +
           std::to_string(progress.facts().population()) + "  " +
           GenerationRate(progress.generations_per_second()) + "  " + ClockText(left_s) + " left";
  }

  tl::expected<Output, Failure> Show(const Settings& settings, const v1::StepBoardResponse& last) {
    const bool series = request_.facts_every() > 0;
    const auto& facts = step_.run().facts();
    const std::string summary = Summary(last);
    switch (settings.format) {
      case Format::kJson:
        return Output{series ? "" : ToJson(last), series ? summary : ""};
      case Format::kCsv:
        if (series) return Output{"", summary};
        return Output{CsvLine(Columns()) + CsvLine(Values(last)), summary};
      case Format::kTable:
        break;
    }
    if (!series) rows_ = {last.facts()};
    return Output{FactsTable(rows_, facts) + ProvenanceText(last.provenance()), summary};
  }

  std::vector<std::string> Columns() const {
    auto columns = FactColumns(step_.run().facts());
    columns.insert(columns.end(), {"stop_reason", "period", "target_generation", "elapsed_ms"});
    return columns;
  }

  std::vector<std::string> Values(const v1::StepBoardResponse& last) const {
    auto values = FactValues(last.facts(), step_.run().facts());
    values.insert(values.end(),
                  {StopReasonText(last.stop_reason()), std::to_string(last.period()),
                   std::to_string(last.target_generation()), std::to_string(last.elapsed_ms())});
    return values;
  }

  static std::string Summary(const v1::StepBoardResponse& last) {
    return "generation " + std::to_string(last.facts().generation()) + " of " +
           std::to_string(last.target_generation()) + ", " +
           GenerationRate(last.generations_per_second()) + ": " + ReasonWords(last) + '\n';
  }

  Failure Broken(const Error& error) const { return Broken(Report(error)); }

  Failure Broken(Failure failure) const {
    if (!last_) return failure;
    failure.lines.push_back("  it was at generation " +
                            std::to_string(last_->facts().generation()) + "; go on with --to " +
                            std::to_string(last_->target_generation()));
    return failure;
  }

  const StepOptions& step_;
  const std::string& board_;
  std::string to_;
  std::string max_duration_;
  std::string if_generation_;
  bool detached_ = false;
  bool queue_ = false;
  bool headed_ = false;
  v1::StepBoardRequest request_;
  std::optional<v1::StepBoardResponse> last_;
  std::uint64_t first_generation_ = 0;
  std::vector<v1::BoardFacts> rows_;
};

}  // namespace

std::unique_ptr<Command> MakeBoardStep(CLI::App& app, const StepOptions& step,
                                       const std::string& board) {
  return std::make_unique<BoardStep>(app, step, board);
}

}  // namespace gpusim::cli
