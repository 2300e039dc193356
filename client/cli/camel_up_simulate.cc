// The running estimates are only looked at; the last one is the answer, whatever ended the run. So
// that a run which was broken off is not lost, its end says how to go on.
#include "client/cli/camel_up_simulate.h"

#include <algorithm>
#include <cstdio>
#include <limits>
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/live_view.h"
#include "client/cli/odds_report.h"
#include "client/cli/position_options.h"
#include "client/cli/provenance_text.h"
#include "client/cli/text.h"
#include "client/cli/values.h"

namespace gpusim::cli {
namespace {

constexpr const char* kHelp =
    "Runs until --simulations, or --until-error or --max-duration if one comes first. Ctrl-C ends\n"
    "the run on the server too, and prints the last estimate and the options to go on with; the\n"
    "two parts' tallies are to be added.";

std::string Rate(std::uint64_t simulations, std::uint64_t elapsed_ms) {
  if (elapsed_ms == 0) return "-";
  char text[32];
  std::snprintf(text, sizeof text, "%.3g/s",
                static_cast<double>(simulations) / static_cast<double>(elapsed_ms) * 1000);
  return text;
}

double Ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// The largest standard error of a probability, which is what a target is compared with.
double LargestError(const v1::GetOddsResponse& odds) {
  double largest = 0;
  const auto look = [&](double error) { largest = std::max(largest, error); };
  for (const v1::CamelOdds& camel : odds.camels()) {
    for (const v1::Estimate& rank : camel.ranks()) look(rank.standard_error());
    look(camel.race_win_standard_error());
    look(camel.race_last_standard_error());
  }
  for (const v1::PairOdds& pair : odds.pairs()) look(pair.probability().standard_error());
  for (const v1::RacePairOdds& pair : odds.race_pairs()) look(pair.probability().standard_error());
  return largest;
}

class CamelUpSimulate : public Command {
 public:
  explicit CamelUpSimulate(CLI::App& app) : position_(app), outputs_(app), stream_(app) {
    app.add_option("--simulations", simulations_, "To play at most: 1e12");
    app.add_option("--until-error", until_error_,
                   "End when no probability has a larger standard error: 1e-6");
    app.add_option("--max-duration", max_duration_, "End after that time: 10m");
    app.add_option("--first-simulation", first_simulation_,
                   "Where to begin in the stream, with --seed. 0");
    AddHelp(app, kHelp);
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (auto filled = position_.Fill(*request_.mutable_position()); !filled) return filled;
    const auto outputs = outputs_.Read(settings.format);
    if (!outputs) return tl::unexpected(outputs.error());
    for (const v1::Output output : *outputs) request_.add_outputs(output);
    if (auto read = ReadStream(); !read) return read;
    constexpr std::uint32_t kRedrawMs = 250;
    if (settings.terminal.redraws) request_.set_update_interval_ms(kRedrawMs);
    return ReadEnds();
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    v1::SimulateResponse last;
    const CallOptions bounded = WithTimeout(settings, options);
    Result<v1::SimulateResponse> run;
    {
      LiveView view(settings);
      run = client.Simulate(
          request_,
          [&](const v1::SimulateResponse& update) {
            last = update;
            view.Draw(Table(settings, update), Progress(update));
            return true;
          },
          bounded);
    }
    if (!run) return Broken(settings, Report(run.error()), last);
    if (run->state() == v1::SIMULATE_STATE_DRAINING)
      return Broken(settings,
                    Failure{kExitFailed, {"the server is stopping, or closing old connections"}},
                    last);
    return Output{Show(settings, last), Summary(last)};
  }

 private:
  tl::expected<void, Failure> ReadStream() {
    const auto stream = stream_.Read();
    if (!stream) return tl::unexpected(stream.error());
    if (*stream) *request_.mutable_stream() = **stream;
    if (first_simulation_.empty()) return {};
    if (!*stream) return WrongUsage("--first-simulation needs --seed");
    const auto first = ReadCount("--first-simulation", first_simulation_);
    if (!first) return tl::unexpected(first.error());
    request_.set_first_simulation(*first);
    return {};
  }

  tl::expected<void, Failure> ReadEnds() {
    if (simulations_.empty())
      return WrongUsage("--simulations is missing; pass a number such as --simulations 1e12");
    const auto simulations = ReadCount("--simulations", simulations_);
    if (!simulations) return tl::unexpected(simulations.error());
    request_.set_simulations(*simulations);
    if (!until_error_.empty()) {
      const auto error = ParsePositive(until_error_);
      if (!error)
        return WrongUsage("--until-error '" + Printable(until_error_) + "' " + error.error());
      request_.set_target_error(*error);
    }
    if (max_duration_.empty()) return {};
    const auto duration = ParseDuration(max_duration_);
    if (!duration)
      return WrongUsage("--max-duration '" + Printable(max_duration_) + "' " + duration.error());
    constexpr std::chrono::milliseconds kShortest{1};
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(*duration);
    request_.set_max_duration_ms(static_cast<std::uint64_t>(std::max(ms, kShortest).count()));
    return {};
  }

  std::string Table(const Settings& settings, const v1::SimulateResponse& update) const {
    if (!settings.terminal.redraws) return "";
    return OddsTable(update.estimate(), request_.position().edition(),
                     Terminal{.is_terminal = true,
                              .color = settings.terminal.color,
                              .utf8 = settings.terminal.utf8}) +
           '\n';
  }

  // Whichever end is nearest. Errors shrink with the root of the number of simulations.
  std::string Progress(const v1::SimulateResponse& update) const {
    const v1::GetOddsResponse& odds = update.estimate();
    const auto elapsed_ms = static_cast<double>(update.elapsed_ms());
    const double error_ratio = Ratio(request_.target_error(), LargestError(odds));
    const double share =
        std::max({Ratio(static_cast<double>(odds.simulations()),
                        static_cast<double>(request_.simulations())),
                  Ratio(elapsed_ms, static_cast<double>(request_.max_duration_ms())),
                  error_ratio * error_ratio});
    const double left_s = Ratio(elapsed_ms / 1000 * (1 - share), share);
    return ProgressBar(share) + "  " + Rate(odds.simulations(), update.elapsed_ms()) + "  " +
           ClockText(left_s) + " left";
  }

  std::string Show(const Settings& settings, const v1::SimulateResponse& last) const {
    switch (settings.format) {
      case Format::kJson:
        return ToJson(last);
      case Format::kCsv:
        return OddsCsv(last.estimate());
      case Format::kTable:
        break;
    }
    return OddsTable(last.estimate(), request_.position().edition(), settings.terminal);
  }

  static std::string Summary(const v1::SimulateResponse& last) {
    const char* end = last.state() == v1::SIMULATE_STATE_TARGET_REACHED ? "the error is reached"
                      : last.state() == v1::SIMULATE_STATE_TIME_IS_UP   ? "the time is up"
                                                                        : "done";
    return std::to_string(last.estimate().simulations()) + " simulations in " +
           Decimals(static_cast<double>(last.elapsed_ms()) / 1000, 3) + " s, " +
           Rate(last.estimate().simulations(), last.elapsed_ms()) + ": " + end + '\n';
  }

  // What there is goes to stdout, the reason and the way on to stderr.
  tl::expected<Output, Failure> Broken(const Settings& settings, Failure failure,
                                       const v1::SimulateResponse& last) const {
    if (last.estimate().simulations() == 0) return tl::unexpected(std::move(failure));
    settings.console.out(Show(settings, last));
    failure.lines.push_back("  played " + std::to_string(last.estimate().simulations()) +
                            "; go on with " + StreamText(last.estimate().provenance().stream()) +
                            " --first-simulation " + std::to_string(last.next_simulation()));
    return tl::unexpected(std::move(failure));
  }

  PositionOptions position_;
  OutputOptions outputs_;
  StreamOptions stream_;
  std::string simulations_;
  std::string until_error_;
  std::string max_duration_;
  std::string first_simulation_;
  v1::SimulateRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeCamelUpSimulate(CLI::App& app) {
  return std::make_unique<CamelUpSimulate>(app);
}

}  // namespace gpusim::cli
