// Steps a board on one thread while another one shows it. Both end together: the view when the steps
// are done, the steps when the view is left.
#include <chrono>
#include <optional>
#include <thread>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cancellation_state.h"
#include "client/cli/board_view.h"
#include "client/cli/error_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_facts.h"
#include "client/cli/life_options.h"
#include "client/cli/position_options.h"
#include "client/cli/view_options.h"

namespace gpusim::cli {
namespace {

using std::chrono::steady_clock;

constexpr const char* kHelp =
    "Runs the board before your eyes: --rate times a second --step generations, each of which is "
    "a\n"
    "picture; --step max runs as fast as the server can and shows --rate pictures a second. q "
    "ends\n"
    "the run and leaves the board as it is then. 'life step' runs without a picture.";

// Nobody sees its end.
constexpr std::uint64_t kForEver = 1'000'000'000'000'000'000;

// What the steps came to.
struct Steps {
  std::optional<v1::StepBoardResponse> last;
  std::optional<Error> error;
};

class LifeRun : public Command {
 public:
  explicit LifeRun(CLI::App& app) : board_(app, "board"), view_(app) {
    app.add_option("--rate", rate_text_, "Pictures a second. 30");
    app.add_option("--step", step_text_, "Generations between two pictures, or max. 1");
    app.add_option("--generations", generations_text_, "To run in all. Until q");
    app.add_option("--until", until_text_,
                   "End at extinct, still, 'period<=4', 'population<=10' or 'population>=10'");
    AddHelp(app, kHelp);
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    watch_.set_name(board_.name());
    const auto rate = ReadRate(rate_text_);
    if (!rate) return tl::unexpected(rate.error());
    constexpr double kRate = 30;
    rate_ = rate->value_or(kRate);
    watch_.set_frames_per_second(rate_);
    const auto generations = ReadValue("--generations", generations_text_, ParseCount);
    if (!generations) return tl::unexpected(generations.error());
    generations_ = generations->value_or(kForEver);
    const auto until = ReadValue("--until", until_text_, ParseUntil);
    if (!until) return tl::unexpected(until.error());
    until_ = *until;
    if (auto stepped = ReadStep(); !stepped) return stepped;
    return view_.Fill(watch_);
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    BoardView view(settings, client, options, watch_);
    Cancellation stop;
    Steps steps;
    std::thread stepper([&] {
      steps = StepOn(client, stop);
      view.End();
    });
    const auto shown = view.Show();
    stop.Cancel();
    stepper.join();
    if (!shown) return tl::unexpected(shown.error());
    if (steps.error && steps.error->code != StatusCode::kCancelled)
      return tl::unexpected(Report(*steps.error));
    return Output{"", steps.last ? Summary(*steps.last) : ""};
  }

 private:
  tl::expected<void, Failure> ReadStep() {
    if (step_text_ == "max") {
      step_ = kForEver;
      return {};
    }
    const auto step = ReadValue("--step", step_text_, ParseCount);
    if (!step || *step == std::uint64_t{0})
      return WrongUsage("--step '" + Printable(step_text_) +
                        "' is neither a number from 1 nor max");
    step_ = step->value_or(1);
    return {};
  }

  // A pause between two calls, so that they begin --rate times a second.
  Steps StepOn(ProtoClient& client, const Cancellation& stop) const {
    const std::chrono::duration<double> period(1 / rate_);
    Steps steps;
    std::uint64_t left = generations_;
    auto next = steady_clock::now();
    while (left > 0 && !stop.cancelled()) {
      v1::StepBoardRequest request;
      request.set_name(board_.name());
      request.set_generations(std::min(step_, left));
      if (until_) *request.mutable_until() = *until_;
      const auto run = client.boards().Step(request,
                                            [&](const v1::StepBoardResponse& progress) {
                                              steps.last = progress;
                                              return true;
                                            },
                                            {.timeout = {}, .cancellation = stop});
      if (!run) {
        steps.error = run.error();
        return steps;
      }
      left -= request.generations();
      if (run->stop_reason() != v1::STOP_REASON_TARGET) return steps;
      next += std::chrono::duration_cast<steady_clock::duration>(period);
      if (next > steady_clock::now()) {
        stop.state().WaitFor(next - steady_clock::now());
      } else {
        next = steady_clock::now();  // too slow: no crowd of steps later
      }
    }
    return steps;
  }

  static std::string Summary(const v1::StepBoardResponse& last) {
    std::string text = "generation " + std::to_string(last.facts().generation()) + ", population " +
                       std::to_string(last.facts().population());
    if (last.stop_reason() == v1::STOP_REASON_CONDITION) text += ": the condition is met";
    if (last.stop_reason() == v1::STOP_REASON_STOPPED) text += ": it was stopped";
    if (last.stop_reason() == v1::STOP_REASON_DRAINING) text += ": the server is stopping";
    return text + '\n';
  }

  NameOption board_;
  ViewOptions view_;
  std::string rate_text_;
  std::string step_text_;
  std::string generations_text_;
  std::string until_text_;
  double rate_ = 0;
  std::uint64_t step_ = 1;
  std::uint64_t generations_ = 0;
  std::optional<v1::Until> until_;
  v1::WatchBoardRequest watch_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeRun(CLI::App& app) { return std::make_unique<LifeRun>(app); }

}  // namespace gpusim::cli
