#include "server/services/simulate_convert.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "server/services/odds_figures.h"
#include "server/services/position_convert.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;

constexpr std::uint64_t kMaxSimulations = 10'000'000'000'000;
constexpr std::uint32_t kMinIntervalMs = 10;
constexpr std::uint32_t kMaxIntervalMs = 60'000;
constexpr milliseconds kDefaultInterval{1'000};

// Sets the simulation of the question, whose query is set.
void ReadRun(const v1::SimulateRequest& request, OddsQuestion& question, Violations& violations) {
  kinds::SimulationRun run;
  run.query = question.query;
  run.first = request.first_simulation();
  if (request.simulations() < 1 || request.simulations() > kMaxSimulations) {
    violations.push_back({"simulations", std::to_string(request.simulations()),
                          "1 to " + std::to_string(kMaxSimulations)});
  } else {
    run.count = request.simulations();
  }
  const std::string first = std::to_string(run.first);
  if (run.count > std::numeric_limits<std::uint64_t>::max() - run.first)
    violations.push_back(
        {"first_simulation", first, "with the number of simulations it stays below 2^64"});
  if (request.has_stream()) {
    ReadStream(request.stream(), "stream.", run, violations);
  } else if (run.first != 0) {
    violations.push_back(
        {"first_simulation", first, "0, or the stream has to be named that the run goes on with"});
  }
  question.wants_warm_stream = !request.has_stream();
  question.simulation = run;
}

void ReadEnds(const v1::SimulateRequest& request, SimulatePlan& plan, Violations& violations) {
  // Written so that what is not a number is refused.
  if (!(request.target_error() >= 0) || std::isinf(request.target_error()))
    violations.push_back(
        {"target_error", std::to_string(request.target_error()), "a finite number, 0 or more"});
  plan.target_error = request.target_error();
  if (request.max_duration_ms() > 0) {
    // Longer than any server runs, and the clock does not overflow.
    constexpr std::uint64_t kTenYearsMs = 10ull * 365 * 24 * 3600 * 1000;
    plan.max_duration = milliseconds(std::min(request.max_duration_ms(), kTenYearsMs));
  }
  const std::uint32_t interval_ms = request.update_interval_ms();
  if (interval_ms != 0 && (interval_ms < kMinIntervalMs || interval_ms > kMaxIntervalMs))
    violations.push_back(
        {"update_interval_ms", std::to_string(interval_ms),
         "0, or " + std::to_string(kMinIntervalMs) + " to " + std::to_string(kMaxIntervalMs)});
  plan.update_interval = interval_ms == 0 ? kDefaultInterval : milliseconds(interval_ms);
}

class LargestErrorOf {
 public:
  explicit LargestErrorOf(std::uint64_t simulations) : simulations_(simulations) {}

  void Add(std::uint64_t sum, std::uint64_t squares) {
    largest_ = std::max(largest_, StandardError(sum + 1, squares + 1, simulations_ + 2));
  }
  void Add(std::uint64_t tally) { Add(tally, tally); }
  void Add(const camel_up::Odds::Square<std::uint64_t>& tallies, bool diagonal) {
    for (std::size_t i = 0; i < tallies.size(); ++i) {
      for (std::size_t k = 0; k < tallies.size(); ++k) {
        if (i != k || diagonal) Add(tallies[i][k]);
      }
    }
  }
  double largest() const { return largest_; }

 private:
  const std::uint64_t simulations_;
  double largest_ = 0;
};

}  // namespace

tl::expected<SimulatePlan, Violations> SimulatePlanOf(const v1::SimulateRequest& request) {
  SimulatePlan plan;
  Violations violations;
  if (const auto position = ReadPosition(request.position(), "position.")) {
    plan.question.query.leg = camel_up::Encode(*position);
  } else {
    violations = position.error();
  }
  plan.question.outputs = ReadOutputs(request.outputs(), violations);
  plan.question.query.scope = plan.question.outputs.scope();
  ReadRun(request, plan.question, violations);
  ReadEnds(request, plan, violations);
  if (!violations.empty()) return tl::unexpected(std::move(violations));
  return plan;
}

double LargestError(const OddsOutputs& outputs, const camel_up::Odds& odds) {
  LargestErrorOf errors(odds.total);
  if (outputs.leg_ranks || outputs.leg_values) errors.Add(odds.rank, /*diagonal=*/true);
  if (outputs.leg_pairs) errors.Add(odds.pair, /*diagonal=*/false);
  if (outputs.landings) {
    for (std::size_t tile = 0; tile < odds.landing.size(); ++tile)
      errors.Add(odds.landing[tile], odds.landing_squares[tile]);
  }
  if (outputs.race) {
    for (std::size_t camel = 0; camel < camel_up::kRacers; ++camel) {
      errors.Add(WinOf(odds.race_joint, camel));
      errors.Add(LastOf(odds.race_joint, camel));
    }
  }
  if (outputs.race_joint) errors.Add(odds.race_joint, /*diagonal=*/false);
  return errors.largest();
}

}  // namespace gpusim::server
