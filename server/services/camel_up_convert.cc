#include "server/services/camel_up_convert.h"

#include <utility>

#include "server/services/camel_up_names.h"
#include "server/services/position_convert.h"

namespace gpusim::server {
namespace {

constexpr std::uint64_t kSubsequenceLimit = std::uint64_t{1} << 48;
constexpr std::uint64_t kOffsetLimit = std::uint64_t{1} << 56;

constexpr char kOutputRule[] =
    "one of OUTPUT_LEG_RANKS, OUTPUT_LEG_PAIRS, OUTPUT_LANDINGS, OUTPUT_LEG_VALUES, OUTPUT_RACE "
    "and "
    "OUTPUT_RACE_JOINT";

bool* FlagOf(OddsOutputs& outputs, int output) {
  switch (output) {
    case v1::OUTPUT_LEG_RANKS:
      return &outputs.leg_ranks;
    case v1::OUTPUT_LEG_PAIRS:
      return &outputs.leg_pairs;
    case v1::OUTPUT_LANDINGS:
      return &outputs.landings;
    case v1::OUTPUT_LEG_VALUES:
      return &outputs.leg_values;
    case v1::OUTPUT_RACE:
      return &outputs.race;
    case v1::OUTPUT_RACE_JOINT:
      return &outputs.race_joint;
    default:
      return nullptr;
  }
}

void ReadMonteCarlo(const v1::MonteCarlo& message, std::uint64_t max_simulations,
                    OddsQuestion& question, Violations& violations) {
  kinds::SimulationRun run;
  run.query = question.query;
  if (message.simulations() < 1 || message.simulations() > max_simulations) {
    violations.push_back({"monte_carlo.simulations", std::to_string(message.simulations()),
                          "1 to max-call-simulations, which is " + std::to_string(max_simulations) +
                              "; Simulate plays more"});
  } else {
    run.count = message.simulations();
  }
  question.wants_warm_stream = !message.has_stream();
  if (message.has_stream()) ReadStream(message.stream(), "monte_carlo.stream.", run, violations);
  question.simulation = run;
}

}  // namespace

OddsOutputs ReadOutputs(const google::protobuf::RepeatedField<int>& outputs,
                        Violations& violations) {
  constexpr int kMaxLength = 32;
  OddsOutputs read;
  read.leg_ranks = outputs.empty();
  if (outputs.size() > kMaxLength) {
    violations.push_back({"outputs", std::to_string(outputs.size()) + " entries",
                          "no request needs more than " + std::to_string(kMaxLength)});
    return read;
  }
  for (int i = 0; i < outputs.size(); ++i) {
    if (bool* flag = FlagOf(read, outputs[i])) {
      *flag = true;
    } else {
      violations.push_back(
          {Element("outputs", i), NameOf<v1::Output>(outputs[i], v1::Output_Name), kOutputRule});
    }
  }
  return read;
}

void ReadStream(const v1::RandomStream& stream, const std::string& prefix,
                kinds::SimulationRun& run, Violations& violations) {
  if (stream.stream_version() != 0 && stream.stream_version() != camel_up::kStreamVersion)
    violations.push_back(
        {prefix + "stream_version", std::to_string(stream.stream_version()),
         "0, or the server's, which is " + std::to_string(camel_up::kStreamVersion)});
  if (stream.subsequence() >= kSubsequenceLimit)
    violations.push_back(
        {prefix + "subsequence", std::to_string(stream.subsequence()), "below 2^48"});
  // Counts that are too large are faults of their own, and cannot wrap around here.
  const std::uint64_t rows = camel_up::RowsOf(run.first) + camel_up::RowsOf(run.count);
  const std::uint64_t blocks = rows * BlocksOf(run.query.scope);
  if (stream.offset() >= kOffsetLimit) {
    violations.push_back({prefix + "offset", std::to_string(stream.offset()), "below 2^56"});
  } else if (blocks > kOffsetLimit - stream.offset()) {
    violations.push_back({prefix + "offset", std::to_string(stream.offset()),
                          "the simulations take " + std::to_string(blocks) +
                              " blocks from there, which would go beyond 2^56"});
  }
  run.base = {stream.seed(), stream.subsequence()};
  run.offset = stream.offset();
}

tl::expected<OddsQuestion, Violations> OddsQuestionOf(const v1::GetOddsRequest& request,
                                                      std::uint64_t max_simulations) {
  auto position = ReadPosition(request.position(), "position.");
  OddsQuestion question;
  Violations violations;
  if (position) {
    question.query.leg = camel_up::Encode(*position);
  } else {
    violations = std::move(position.error());
  }
  question.outputs = ReadOutputs(request.outputs(), violations);
  question.query.scope = question.outputs.scope();
  if (request.has_monte_carlo())
    ReadMonteCarlo(request.monte_carlo(), max_simulations, question, violations);
  if (!violations.empty()) return tl::unexpected(std::move(violations));
  return question;
}

}  // namespace gpusim::server
