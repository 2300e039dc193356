// Commands from their arguments to what they print, against a server in this process.
#include <atomic>
#include <fstream>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/truths.h"
#include "tests/unit/client_run_command.h"

namespace gpusim {
namespace {

using ::testing::AllOf;
using testing::CommandEnding;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::RunCommand;
using ::testing::StartsWith;

using Arguments = std::vector<std::string>;
using Writer = grpc::ServerWriterInterface<v1::SimulateResponse>;

Arguments Position(Arguments command, Arguments more = {}) {
  command.insert(command.end(), {"--edition", "1", "--position", "1:BGOYW"});
  command.insert(command.end(), more.begin(), more.end());
  return command;
}

TEST(OddsCommand, AsksForWhatTheOptionsSay) {
  std::string seen;
  FakeServer server({.get_odds = [&](grpc::ServerContext&, const v1::GetOddsRequest& request,
                                     v1::GetOddsResponse& response) {
    seen = request.ShortDebugString();
    response.set_total_weight(29160);
    response.mutable_expected_legs()->set_value(4.5);
    return grpc::Status::OK;
  }});
  const std::string position = "position { edition: EDITION_FIRST text { stacks: \"1:BGOYW\" } } ";
  const Arguments odds = {"camel-up", "odds"};
  EXPECT_EQ(RunCommand(server, Position(odds, {"--race"})).status, 0);
  EXPECT_EQ(seen, position + "outputs: OUTPUT_LEG_RANKS outputs: OUTPUT_RACE");
  RunCommand(server, Position(odds, {"--race", "--outputs", "race-joint,race,values"}));
  EXPECT_EQ(seen, position +
                      "outputs: OUTPUT_RACE_JOINT outputs: OUTPUT_RACE outputs: "
                      "OUTPUT_LEG_VALUES");
  const CommandEnding json = RunCommand(
      server, Position(odds, {"--method", "monte-carlo", "--simulations", "1e9", "--seed", "7",
                              "--subsequence", "3", "--offset", "2", "--format", "json"}));
  EXPECT_EQ(seen, position +
                      "monte_carlo { simulations: 1000000000 stream { seed: 7 subsequence: "
                      "3 offset: 2 } }");
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"totalWeight\": 29160"),
                              HasSubstr("\"simulations\": \"0\""), HasSubstr("\"value\": 4.5")));
}

TEST(OddsCommand, RefusesWhatDoesNotFitTogether) {
  FakeServer server(testing::FakeHandlers{});
  const auto error = [&](const Arguments& more) {
    const CommandEnding ending = RunCommand(server, Position({"camel-up", "odds"}, more));
    EXPECT_EQ(ending.status, 2);
    return ending.err;
  };
  EXPECT_EQ(error({"--simulations", "1e9"}), "--simulations needs --method monte-carlo\n");
  EXPECT_EQ(error({"--seed", "1"}), "--seed needs --method monte-carlo\n");
  EXPECT_EQ(error({"--method", "guess"}),
            "--method 'guess' is unknown; pass exact or monte-carlo\n");
  EXPECT_EQ(error({"--method", "monte-carlo"}),
            "--method monte-carlo needs a number such as --simulations 1e9\n");
  EXPECT_EQ(error({"--method", "monte-carlo", "--simulations", "1.5"}),
            "--simulations '1.5' is not a whole number\n");
  EXPECT_EQ(error({"--method", "monte-carlo", "--simulations", "1", "--offset", "1"}),
            "--offset needs --seed\n");
  EXPECT_THAT(error({"--race", "--outputs", "pairs", "--format", "csv"}),
              HasSubstr("does not fit one CSV"));
}

TEST(OddsCommand, SaysWhenARaceTableIsThere) {
  FakeServer server(
      {.get_odds = [&](grpc::ServerContext&, const v1::GetOddsRequest&, v1::GetOddsResponse&) {
        return testing::TableBeingSolved(std::chrono::minutes(4));
      }});
  const CommandEnding ending = RunCommand(server, Position({"camel-up", "odds"}, {"--race"}));
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.err,
            "the server is unavailable: the race table is being solved\n  come again in 240s\n");
}

TEST(MovesCommand, AsksWithTheWholeView) {
  std::string seen;
  FakeServer server(
      {.evaluate_moves = [&](grpc::ServerContext&, const v1::EvaluateMovesRequest& request,
                             v1::EvaluateMovesResponse& response) {
        seen = request.ShortDebugString();
        response.add_moves()->mutable_roll();
        return grpc::Status::OK;
      }});
  const Arguments moves = {"camel-up", "moves", "--edition", "2", "--position", "1:rbgypwk"};
  Arguments all = moves;
  all.insert(all.end(), {"--tiles", "6+a 8-b", "--me", "a", "--tickets", "b5", "--held", "y5",
                         "--hand", "g", "--coins", "7", "--winner-cards", "b! ?", "--loser-cards",
                         "r", "--no-tile", "--allow-flip", "--coin-floor"});
  const CommandEnding ending = RunCommand(server, all);
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_THAT(ending.out, HasSubstr("\nroll "));
  EXPECT_EQ(seen,
            "position { edition: EDITION_SECOND text { stacks: \"1:rbgypwk\" tiles: \"6+a 8-b\" } "
            "} me: \"a\" coins: 7 tickets { camel: CAMEL_BLUE face: 5 } held_tickets { camel: "
            "CAMEL_YELLOW face: 5 } hand: CAMEL_GREEN winner_cards { camel: CAMEL_BLUE mine: true "
            "} winner_cards { } loser_cards { camel: CAMEL_RED } no_tile: true allow_flip: true "
            "coin_floor: true");
  for (const auto& [option, value, why] :
       {std::tuple{"--held", "y", " has a camel without its face value; write b5 g3"},
        std::tuple{"--hand", "o", " has 'o' where a camel of the edition is expected: rbgypwk"},
        std::tuple{"--coins", "1001", " is not from 0 to 1000"}}) {
    Arguments bad = moves;
    bad.insert(bad.end(), {option, value});
    const CommandEnding refused = RunCommand(server, bad);
    EXPECT_EQ(refused.status, 2);
    EXPECT_EQ(refused.err, std::string(option) + " '" + value + "'" + why + '\n');
  }
}

void WriteUpdate(Writer& writer, std::uint64_t simulations, v1::SimulateState state) {
  v1::SimulateResponse update;
  update.set_next_simulation(simulations + 5);
  update.set_state(state);
  update.set_elapsed_ms(2000);
  update.mutable_estimate()->set_simulations(simulations);
  update.mutable_estimate()->mutable_provenance()->mutable_stream()->set_seed(7);
  writer.Write(update);
}

TEST(SimulateCommand, PrintsTheLastEstimateAndWhyItIsTheLast) {
  std::string seen;
  FakeServer server(
      {.simulate = [&](grpc::ServerContext&, const v1::SimulateRequest& request, Writer& writer) {
        seen = request.ShortDebugString();
        WriteUpdate(writer, 100, v1::SIMULATE_STATE_RUNNING);
        WriteUpdate(writer, 4000, v1::SIMULATE_STATE_TARGET_REACHED);
        return grpc::Status::OK;
      }});
  const Arguments simulate = Position(
      {"camel-up", "simulate"}, {"--simulations", "1e12", "--until-error", "1e-6", "--max-duration",
                                 "1.5m", "--seed", "7", "--first-simulation", "5"});
  const CommandEnding table = RunCommand(server, simulate);
  EXPECT_EQ(table.status, 0);
  EXPECT_EQ(seen,
            "position { edition: EDITION_FIRST text { stacks: \"1:BGOYW\" } } simulations: "
            "1000000000000 stream { seed: 7 } first_simulation: 5 target_error: 1e-06 "
            "max_duration_ms: 90000");
  EXPECT_THAT(table.out, AllOf(HasSubstr("\n4000 simulations\n"), Not(HasSubstr("\n100 sim"))));
  EXPECT_EQ(table.err, "4000 simulations in 2.000 s, 2e+03/s: the error is reached\n");
  Arguments json = simulate;
  json.insert(json.end(), {"--format", "json"});
  EXPECT_THAT(RunCommand(server, json).out,
              HasSubstr("\"state\": \"SIMULATE_STATE_TARGET_REACHED\""));
}

TEST(SimulateCommand, ABrokenRunPrintsWhatThereIsAndHowToGoOn) {
  for (const bool draining : {false, true}) {
    FakeServer server({.simulate = [&](grpc::ServerContext&, const v1::SimulateRequest&,
                                       Writer& writer) {
      WriteUpdate(writer, 100, draining ? v1::SIMULATE_STATE_DRAINING : v1::SIMULATE_STATE_RUNNING);
      return draining ? grpc::Status::OK : grpc::Status(grpc::StatusCode::INTERNAL, "oh");
    }});
    const CommandEnding ending =
        RunCommand(server, Position({"camel-up", "simulate"}, {"--simulations", "1e12"}));
    EXPECT_EQ(ending.status, 1);
    EXPECT_THAT(ending.out, HasSubstr("100 simulations\n"));
    EXPECT_EQ(ending.err,
              std::string(draining ? "the server is stopping, or closing old connections"
                                   : "the server failed (INTERNAL): oh") +
                  "\n  played 100; go on with --seed 7 --subsequence 0 --offset 0 "
                  "--first-simulation 105\n");
  }
}

TEST(SimulateCommand, AnInterruptedRunHasItsOwnStatus) {
  Cancellation cancellation;
  FakeServer server(
      {.simulate = [&](grpc::ServerContext& context, const v1::SimulateRequest&, Writer& writer) {
        WriteUpdate(writer, 100, v1::SIMULATE_STATE_RUNNING);
        cancellation.Cancel();
        testing::AwaitCancel(context);
        return grpc::Status::CANCELLED;
      }});
  const CommandEnding ending =
      RunCommand(server, Position({"camel-up", "simulate"}, {"--simulations", "1e12"}), {},
                 {.cancellation = cancellation});
  EXPECT_EQ(ending.status, 130);
  EXPECT_THAT(ending.err, StartsWith("interrupted\n"));
}

// It went on for ever whatever --timeout said.
TEST(SimulateCommand, ATimeoutEndsTheRun) {
  FakeServer server(
      {.simulate = [&](grpc::ServerContext& context, const v1::SimulateRequest&, Writer& writer) {
        WriteUpdate(writer, 100, v1::SIMULATE_STATE_RUNNING);
        testing::AwaitCancel(context);
        return grpc::Status::CANCELLED;
      }});
  const CommandEnding ending = RunCommand(
      server, Position({"camel-up", "simulate"}, {"--simulations", "1e12", "--timeout", "300ms"}));
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.err, HasSubstr("within 300ms; pass a longer --timeout\n"));
}

TEST(SimulateCommand, ChecksItsOptions) {
  FakeServer server(testing::FakeHandlers{});
  const auto error = [&](const Arguments& more) {
    const CommandEnding ending = RunCommand(server, Position({"camel-up", "simulate"}, more));
    EXPECT_EQ(ending.status, 2);
    return ending.err;
  };
  EXPECT_EQ(error({}), "--simulations is missing; pass a number such as --simulations 1e12\n");
  EXPECT_EQ(error({"--simulations", "1", "--until-error", "0"}),
            "--until-error '0' is not a positive number such as 0.001 or 1e-6\n");
  EXPECT_EQ(error({"--simulations", "1", "--max-duration", "5"}),
            "--max-duration '5' needs a unit of ns, us, ms, s, m or h, as in 500ms or 10s\n");
  EXPECT_EQ(error({"--simulations", "1", "--first-simulation", "5"}),
            "--first-simulation needs --seed\n");
}

void StepRightly(const v1::StepRequest& request, v1::StepResponse& response) {
  for (const cli::LifeTruth& truth : cli::LifeTruths()) {
    if (request.generations() != truth.generations) continue;
    response.set_population(truth.population);
    response.set_hash(truth.hash);
  }
}

// Answers as the truths say, but for one.
struct Truthful {
  std::atomic<bool> boards{true};
  std::atomic<int> boards_there{0};
  std::atomic<std::uint64_t> board_generation{0};
  std::atomic<bool> race_tables{true};
  std::atomic<bool> lies{false};
  FakeServer server{
      {.get_odds =
           [this](grpc::ServerContext&, const v1::GetOddsRequest& request,
                  v1::GetOddsResponse& response) {
             const auto& position = request.position();
             for (const cli::LegTruth& truth : cli::LegTruths()) {
               if (request.outputs_size() > 0 || position.edition() != truth.edition ||
                   position.text().stacks() != truth.stacks)
                 continue;
               response.set_total_weight(truth.total_weight);
               for (const auto& weights : truth.rank_weight) {
                 v1::CamelOdds& camel = *response.add_camels();
                 camel.set_camel(v1::CAMEL_GREEN);
                 for (const std::uint32_t weight : weights) camel.add_rank_weight(weight);
               }
               response.set_race_ends_weight(truth.race_ends_weight);
               response.set_race_ends_backward_weight(truth.race_ends_backward_weight);
             }
             for (const cli::RaceTruth& truth : cli::RaceTruths()) {
               if (request.outputs_size() == 0 || position.edition() != truth.edition ||
                   position.text().stacks() != truth.stacks)
                 continue;
               if (truth.edition == 2 && !race_tables)
                 return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "no table: no memory");
               for (int i = 0; i < 5; ++i) {
                 v1::CamelOdds& camel = *response.add_camels();
                 camel.set_camel(v1::CAMEL_RED);
                 camel.set_race_win(truth.win[i]);
                 camel.set_race_last(truth.last[i] + (lies ? 1e-8 : 1e-10));
               }
               response.mutable_expected_legs()->set_value(truth.expected_legs);
             }
             return grpc::Status::OK;
           },
       .step =
           [](grpc::ServerContext&, const v1::StepRequest& request, v1::StepResponse& response) {
             StepRightly(request, response);
             return grpc::Status::OK;
           },
       .step_many =
           [](grpc::ServerContext&, const v1::StepManyRequest& request,
              v1::StepManyResponse& response) {
             for (const v1::StepRequest& board : request.boards())
               StepRightly(board, *response.add_results()->mutable_step());
             return grpc::Status::OK;
           },
       .create_board =
           [this](grpc::ServerContext&, grpc::ServerReaderInterface<v1::CreateBoardRequest>&,
                  v1::CreateBoardResponse& response) {
             if (!boards)
               return grpc::Status(grpc::StatusCode::FAILED_PRECONDITION, "no boards here");
             ++boards_there;
             response.mutable_board()->set_name("me/7");
             return grpc::Status::OK;
           },
       .get_board =
           [this](grpc::ServerContext&, const v1::GetBoardRequest&,
                  v1::GetBoardResponse& response) {
             v1::StepRequest same;
             same.set_generations(board_generation);
             v1::StepResponse step;
             StepRightly(same, step);
             response.mutable_facts()->set_generation(board_generation);
             response.mutable_facts()->set_population(step.population());
             response.mutable_facts()->set_hash(step.hash());
             return grpc::Status::OK;
           },
       .delete_board =
           [this](grpc::ServerContext&, const v1::DeleteBoardRequest& request,
                  v1::DeleteBoardResponse&) {
             if (request.name() == "me/7") --boards_there;
             return grpc::Status::OK;
           },
       .step_board =
           [this](grpc::ServerContext&, const v1::StepBoardRequest& request,
                  grpc::ServerWriterInterface<v1::StepBoardResponse>& writer) {
             board_generation = request.to_generation();
             writer.Write({});
             return grpc::Status::OK;
           }}};
};

TEST(CheckCommand, AServerThatIsRightPasses) {
  Truthful truthful;
  const CommandEnding ending = RunCommand(truthful.server, {"check"});
  EXPECT_EQ(ending.status, 0) << ending.out;
  EXPECT_THAT(ending.out, AllOf(HasSubstr("ok  leg, edition 1: a stack of three\n"),
                                HasSubstr("ok  race, edition 2: 1:rb 2:gy 3:p 14:w 16:k\n"),
                                HasSubstr("ok  life, glider on torus:64x64, 256 generations\n")));
  EXPECT_EQ(ending.err, "22 ok, 0 differs, 0 failed, 0 skipped\n");
  EXPECT_EQ(truthful.boards_there, 0);
}

TEST(CheckCommand, AServerWithoutBoardsIsNotAsked) {
  Truthful truthful;
  truthful.boards = false;
  const CommandEnding ending = RunCommand(truthful.server, {"check"});
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, HasSubstr("skipped  life, glider on a resident board: no boards here\n"));
  EXPECT_EQ(ending.err, "21 ok, 0 differs, 0 failed, 1 skipped\n");
}

TEST(CheckCommand, ADifferenceIsNamed) {
  Truthful truthful;
  truthful.lies = true;
  const CommandEnding ending = RunCommand(truthful.server, {"check"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.out,
              HasSubstr("differs  race, edition 2: 1:rb 2:gy 3:p 14:w 16:k: the chance that "
                        "CAMEL_RED is last is 0.26896967080149"));
  EXPECT_EQ(ending.err, "14 ok, 8 differs, 0 failed, 0 skipped\n");
  EXPECT_THAT(RunCommand(truthful.server, {"check", "--format", "csv"}).out,
              StartsWith("outcome,check,detail\nok,\"leg, edition 1: a stack of three\",\n"));
}

TEST(CheckCommand, ARaceWithoutATableIsSkippedWithTheServersReason) {
  Truthful truthful;
  truthful.race_tables = false;
  const CommandEnding ending = RunCommand(truthful.server, {"check"});
  EXPECT_EQ(ending.status, 0);
  EXPECT_THAT(ending.out, HasSubstr("skipped  races, edition 2: no table: no memory\n"));
  EXPECT_EQ(ending.err, "18 ok, 0 differs, 0 failed, 1 skipped\n");
  EXPECT_THAT(RunCommand(truthful.server, {"check", "--format", "json"}).out,
              HasSubstr("{\"outcome\": \"skipped\", \"check\": \"races, edition 2\", \"detail\": "
                        "\"no table: no memory\"}"));
}

TEST(CheckCommand, AFailedCallIsAFailure) {
  FakeServer server(
      {.get_odds = [](grpc::ServerContext&, const v1::GetOddsRequest&, v1::GetOddsResponse&) {
        return grpc::Status(grpc::StatusCode::INTERNAL, "oh");
      }});
  const CommandEnding ending = RunCommand(server, {"check"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_THAT(ending.out, HasSubstr("failed   leg, edition 1: a stack of three: the server failed "
                                    "(INTERNAL): oh\n"));
}

// The truths stand in the program; what they were taken from stands in the tests' data.
TEST(Truths, AreThoseOfTheTestsData) {
  const auto text = [](const char* path) {
    std::ifstream file(std::string(GPUSIM_TEST_DATA) + "/" + path);
    EXPECT_TRUE(file) << path;
    std::ostringstream read;
    read << file.rdbuf();
    return read.str();
  };
  const std::string legs = text("camel_up/leg_positions.json");
  for (const cli::LegTruth& truth : cli::LegTruths()) {
    for (const auto& weights : truth.rank_weight) {
      std::string row = "[";
      for (const std::uint32_t weight : weights)
        row += (row.size() > 1 ? ", " : "") + std::to_string(weight);
      EXPECT_THAT(legs, HasSubstr(row + "]")) << truth.name;
    }
  }
  const std::string races[] = {text("camel_up/race_first_edition.csv"),
                               text("camel_up/race_second_edition.csv")};
  for (const cli::RaceTruth& truth : cli::RaceTruths()) {
    std::string row;
    char number[32];
    for (const auto* side : {&truth.win, &truth.last}) {
      for (const double chance : *side) {
        std::snprintf(number, sizeof number, ",%.15f", chance);
        row += number;
      }
    }
    EXPECT_THAT(races[truth.edition - 1], HasSubstr(row)) << truth.stacks;
  }
  const std::string life = text("life/torus.json");
  for (const cli::LifeTruth& truth : cli::LifeTruths())
    EXPECT_THAT(life, HasSubstr("\"" + std::to_string(truth.generations) +
                                "\": {\"population\": " + std::to_string(truth.population) +
                                ", \"hash\": \"" + truth.hash + "\"}"));
}

}  // namespace
}  // namespace gpusim
