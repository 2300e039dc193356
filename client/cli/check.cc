#include "client/cli/check.h"

#include <chrono>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/position_options.h"
#include "client/cli/text.h"
#include "client/cli/truths.h"

namespace gpusim::cli {
namespace {

constexpr const char* kHelp =
    "Asks the server what is known: leg odds of both editions to the last integer, race odds to\n"
    "1e-9, gliders on a torus, also many in a call and as a resident board, which is made and\n"
    "deleted. A race that the server has no table for is skipped, and so are boards if it has "
    "none.\n"
    "Exit status 1 if an answer differs or a call fails.";

enum class Outcome { kOk, kDiffers, kSkipped, kFailed };

const char* Word(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kDiffers:
      return "differs";
    case Outcome::kSkipped:
      return "skipped";
    case Outcome::kFailed:
      return "failed";
  }
  return "";
}

struct Finding {
  std::string name;
  Outcome outcome = Outcome::kOk;
  std::string detail = {};  // of what is not ok
};

Finding FailedCall(std::string name, const Error& error) {
  return {std::move(name), Outcome::kFailed, Report(error).lines.front()};
}

// The first difference that is told of; none leaves the finding ok.
class Comparison {
 public:
  explicit Comparison(std::string name) : finding_{.name = std::move(name)} {}

  void Same(const std::string& what, std::uint64_t found, std::uint64_t expected) {
    if (found != expected) Differ(what, std::to_string(found), std::to_string(expected));
  }
  void Same(const std::string& what, const std::string& found, const std::string& expected) {
    if (found != expected) Differ(what, Printable(found), expected);
  }
  void Near(const std::string& what, double found, double expected) {
    constexpr double kTolerance = 1e-9;
    if (!(std::abs(found - expected) <= kTolerance)) Differ(what, Number(found), Number(expected));
  }

  Finding Result() && { return std::move(finding_); }

 private:
  void Differ(const std::string& what, const std::string& found, const std::string& expected) {
    if (finding_.outcome != Outcome::kOk) return;
    finding_.outcome = Outcome::kDiffers;
    finding_.detail = what + " is " + found + ", not " + expected;
  }

  Finding finding_;
};

v1::GetOddsRequest Question(int edition, const char* stacks, const char* tiles, const char* dice) {
  v1::GetOddsRequest request;
  request.mutable_position()->set_edition(static_cast<v1::Edition>(edition));
  request.mutable_position()->mutable_text()->set_stacks(stacks);
  request.mutable_position()->mutable_text()->set_tiles(tiles);
  request.mutable_position()->mutable_text()->set_dice(dice);
  return request;
}

std::string CamelName(const v1::CamelOdds& camel) { return v1::Camel_Name(camel.camel()); }

Finding CheckLeg(const LegTruth& truth, ProtoClient& client, const CallOptions& options) {
  std::string name =
      "leg, edition " + std::to_string(truth.edition) + ": " + std::string(truth.name);
  const auto odds =
      client.GetOdds(Question(truth.edition, truth.stacks, truth.tiles, truth.dice), options);
  if (!odds) return FailedCall(std::move(name), odds.error());
  Comparison comparison(std::move(name));
  comparison.Same("the total weight", odds->total_weight(), truth.total_weight);
  comparison.Same("the number of camels", static_cast<std::uint64_t>(odds->camels_size()), 5);
  for (int camel = 0; camel < odds->camels_size() && camel < 5; ++camel) {
    const v1::CamelOdds& found = odds->camels(camel);
    for (int place = 0; place < 5; ++place) {
      comparison.Same(
          "the weight of " + CamelName(found) + " in place " + std::to_string(place + 1),
          place < found.rank_weight_size() ? found.rank_weight(place) : 0,
          truth.rank_weight[camel][place]);
    }
  }
  comparison.Same("the weight of the race's end", odds->race_ends_weight(), truth.race_ends_weight);
  comparison.Same("the weight of a backward end", odds->race_ends_backward_weight(),
                  truth.race_ends_backward_weight);
  return std::move(comparison).Result();
}

bool HasNoTable(const Error& error) {
  return error.code == StatusCode::kFailedPrecondition ||
         (error.code == StatusCode::kUnavailable && error.retry_after);
}

Finding CheckRace(const RaceTruth& truth, ProtoClient& client, const CallOptions& options) {
  std::string name =
      "race, edition " + std::to_string(truth.edition) + ": " + std::string(truth.stacks);
  v1::GetOddsRequest request = Question(truth.edition, truth.stacks, "", "");
  request.add_outputs(v1::OUTPUT_RACE);
  const auto odds = client.GetOdds(request, options);
  if (!odds && HasNoTable(odds.error()))
    return {std::move(name), Outcome::kSkipped, Printable(odds.error().message)};
  if (!odds) return FailedCall(std::move(name), odds.error());
  Comparison comparison(std::move(name));
  comparison.Same("the number of camels", static_cast<std::uint64_t>(odds->camels_size()), 5);
  for (int camel = 0; camel < odds->camels_size() && camel < 5; ++camel) {
    const v1::CamelOdds& found = odds->camels(camel);
    comparison.Near("the chance that " + CamelName(found) + " wins", found.race_win(),
                    truth.win[camel]);
    comparison.Near("the chance that " + CamelName(found) + " is last", found.race_last(),
                    truth.last[camel]);
  }
  comparison.Near("the expected number of legs", odds->expected_legs().value(),
                  truth.expected_legs);
  return std::move(comparison).Result();
}

// The start of a glider; a StepRequest or the header of a board.
template <class Message>
void FillStart(const LifeTruth& truth, Message& message) {
  message.set_pattern(truth.rle);
  message.set_rule("B3/S23");
  message.set_topology(truth.topology);
  message.mutable_at()->set_x(truth.x);
  message.mutable_at()->set_y(truth.y);
}

v1::StepRequest StepOf(const LifeTruth& truth) {
  v1::StepRequest request;
  FillStart(truth, request);
  request.set_generations(truth.generations);
  request.add_facts(v1::FACT_HASH);
  return request;
}

Finding CheckLife(const LifeTruth& truth, ProtoClient& client, const CallOptions& options) {
  std::string name = "life, glider on " + std::string(truth.topology) + ", " +
                     std::to_string(truth.generations) + " generations";
  const auto step = client.Step(StepOf(truth), options);
  if (!step) return FailedCall(std::move(name), step.error());
  Comparison comparison(std::move(name));
  comparison.Same("the population", step->population(), truth.population);
  comparison.Same("the hash", step->hash(), truth.hash);
  return std::move(comparison).Result();
}

Finding CheckManyLives(ProtoClient& client, const CallOptions& options) {
  std::string name = "life, many gliders in a call";
  v1::StepManyRequest request;
  for (const LifeTruth& truth : LifeTruths()) *request.add_boards() = StepOf(truth);
  const auto many = client.StepMany(request, options);
  if (!many) return FailedCall(std::move(name), many.error());
  Comparison comparison(std::move(name));
  int board = 0;
  for (const LifeTruth& truth : LifeTruths()) {
    const v1::StepResponse& step = board < many->results_size()
                                       ? many->results(board).step()
                                       : v1::StepResponse::default_instance();
    const std::string of = " of board " + std::to_string(board++);
    comparison.Same("the population" + of, step.population(), truth.population);
    comparison.Same("the hash" + of, step.hash(), truth.hash);
  }
  return std::move(comparison).Result();
}

// A name that no other board has, and a lease that ends soon should the client die here.
Finding CheckBoard(ProtoClient& client, const CallOptions& options) {
  const LifeTruth& truth = LifeTruths().back();
  std::string name = "life, glider on a resident board";
  v1::CreateBoardHeader header;
  FillStart(truth, header);
  constexpr std::uint32_t kLeaseSeconds = 60;
  header.set_lease_s(kLeaseSeconds);
  header.set_autosave_every_s(0);
  const auto made = client.boards().Create(header, nullptr, options);
  if (!made && made.error().code == StatusCode::kFailedPrecondition)
    return {std::move(name), Outcome::kSkipped, Printable(made.error().message)};
  if (!made) return FailedCall(std::move(name), made.error());
  v1::StepBoardRequest run;
  run.set_name(made->board().name());
  run.set_to_generation(truth.generations);
  run.add_facts(v1::FACT_HASH);
  CallOptions bounded = options;
  constexpr std::chrono::seconds kLongest{30};
  if (!bounded.timeout) bounded.timeout = kLongest;
  const auto end = client.boards().Step(
      run, [](const v1::StepBoardResponse&) { return true; }, bounded);
  v1::DeleteBoardRequest deletion;
  deletion.set_name(made->board().name());
  const auto deleted = client.boards().Delete(deletion, options);
  if (!end) return FailedCall(std::move(name), end.error());
  if (!deleted) return FailedCall(std::move(name), deleted.error());
  Comparison comparison(std::move(name));
  comparison.Same("the generation", end->facts().generation(), truth.generations);
  comparison.Same("the population", end->facts().population(), truth.population);
  comparison.Same("the hash", end->facts().hash(), truth.hash);
  return std::move(comparison).Result();
}

std::string Show(const std::vector<Finding>& findings, Format format) {
  std::string text;
  if (format == Format::kCsv) text = CsvLine({"outcome", "check", "detail"});
  TextTable table({TextTable::Align::kLeft, TextTable::Align::kLeft});
  for (const Finding& finding : findings) {
    const bool plain = finding.detail.empty();
    switch (format) {
      case Format::kTable:
        table.AddRow(
            {{Word(finding.outcome)}, {finding.name + (plain ? "" : ": ") + finding.detail}});
        break;
      case Format::kCsv:
        text += CsvLine({Word(finding.outcome), finding.name, finding.detail});
        break;
      case Format::kJson:
        text += std::string(text.empty() ? "[" : ",") +
                "\n {\"outcome\": " + JsonString(Word(finding.outcome)) +
                ", \"check\": " + JsonString(finding.name) +
                ", \"detail\": " + JsonString(finding.detail) + "}";
        break;
    }
  }
  if (format == Format::kJson) return text + "\n]\n";
  return text + table.Render(false);
}

class Check : public Command {
 public:
  explicit Check(CLI::App& app) { AddHelp(app, kHelp); }

  tl::expected<void, Failure> Prepare(const Settings&) override { return {}; }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    // Without a server, one line says more than a list of failures.
    const auto ping = client.Ping({}, options);
    if (!ping) return tl::unexpected(Report(ping.error()));
    std::vector<Finding> findings;
    for (const LegTruth& truth : LegTruths()) findings.push_back(CheckLeg(truth, client, options));
    CheckRaces(client, options, findings);
    for (const LifeTruth& truth : LifeTruths())
      findings.push_back(CheckLife(truth, client, options));
    findings.push_back(CheckManyLives(client, options));
    findings.push_back(CheckBoard(client, options));
    if (options.cancellation && options.cancellation->cancelled())
      return Fail(kExitInterrupted, "interrupted");
    int count[4] = {};
    for (const Finding& finding : findings) ++count[static_cast<int>(finding.outcome)];
    const auto number = [&](Outcome outcome) {
      return std::to_string(count[static_cast<int>(outcome)]) + " " + Word(outcome);
    };
    const bool good = count[static_cast<int>(Outcome::kDiffers)] == 0 &&
                      count[static_cast<int>(Outcome::kFailed)] == 0;
    return Output{Show(findings, settings.format),
                  number(Outcome::kOk) + ", " + number(Outcome::kDiffers) + ", " +
                      number(Outcome::kFailed) + ", " + number(Outcome::kSkipped) + '\n',
                  good ? kExitOk : kExitFailed};
  }

 private:
  // A table that is not there for one race of an edition is not there for the others, and asking
  // may mean waiting.
  static void CheckRaces(ProtoClient& client, const CallOptions& options,
                         std::vector<Finding>& findings) {
    int skipped_edition = 0;
    for (const RaceTruth& truth : RaceTruths()) {
      if (truth.edition == skipped_edition) continue;
      findings.push_back(CheckRace(truth, client, options));
      if (findings.back().outcome == Outcome::kSkipped) {
        skipped_edition = truth.edition;
        findings.back().name = "races, edition " + std::to_string(truth.edition);
      }
    }
  }
};

}  // namespace

std::unique_ptr<Command> MakeCheck(CLI::App& app) { return std::make_unique<Check>(app); }

}  // namespace gpusim::cli
