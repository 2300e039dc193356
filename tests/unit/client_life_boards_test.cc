// The commands about resident boards as a whole, from their arguments to what they print.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/client_board_keeper.h"

namespace gpusim::testing {
namespace {

using ::testing::AllOf;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

TEST(LifeCreateCommand, AsksForABoard) {
  Keeper keeper;
  const CommandEnding random =
      keeper.Run({"create", "big", "--topology", "torus:64x32", "--random", "0.375", "--seed", "1",
                  "--rule", "B36/S23", "--lease", "1h", "--autosave", "none", "--generation", "3"});
  EXPECT_EQ(random.status, 0) << random.err;
  EXPECT_EQ(keeper.seen,
            "name: \"big\" topology: \"torus:64x32\" rule: \"B36/S23\" random { density: 0.375 "
            "seed: 1 } generation: 3 lease_s: 3600 autosave_every_s: 0");
  EXPECT_EQ(random.out,
            "board       me/big\\x1b[2J\ngeneration  12\nrule        B3/S23\n"
            "topology    torus:64x32\nlease       1:00:00, 1:01 left\nautosave    every 10:00\n"
            "memory      1.5 KiB, device 0\ncreated     1970-01-01 00:00:00Z\n");
  EXPECT_EQ(random.err, "note: a\\nnote\n");
  Put(Path("g.rle"), "bo!");
  keeper.Run({"create", "--from", Path("g.rle"), "--at", "-1,2"});
  EXPECT_EQ(keeper.seen, "pattern: \"bo!\" at { x: -1 y: 2 }");
  keeper.Run({"create", "empty", "--topology", "plane:8x8"});
  EXPECT_EQ(keeper.seen, "name: \"empty\" topology: \"plane:8x8\"");
}

TEST(LifeCreateCommand, StreamsARawFileOfTheTopologysSize) {
  Keeper keeper;
  Put(Path("b.raw"), "abcdef");
  const CommandEnding made =
      keeper.Run({"create", "b", "--topology", "torus:9x3", "--from", Path("b.raw")});
  EXPECT_EQ(made.status, 0) << made.err;
  EXPECT_EQ(keeper.seen, "name: \"b\" topology: \"torus:9x3\" streamed: true");
  EXPECT_EQ(keeper.rows, "abcdef");
  const CommandEnding other =
      keeper.Run({"create", "b", "--topology", "torus:9x4", "--from", Path("b.raw")});
  EXPECT_EQ(other.status, 1);
  EXPECT_THAT(other.err, EndsWith("b.raw has 6 bytes, but 9x4 cells have 8\n"));
}

TEST(LifeCreateCommand, ChecksItsOptions) {
  Keeper keeper;
  EXPECT_EQ(keeper.Usage({"create", "a"}), "--topology is missing; pass torus:WxH or plane:WxH\n");
  EXPECT_EQ(keeper.Usage({"create", "a", "--random", "0.5"}),
            "--topology is missing; pass torus:WxH or plane:WxH\n");
  EXPECT_EQ(keeper.Usage({"create", "a", "--from", "x.raw"}),
            "--from a .raw file needs its size; pass --topology torus:WxH or plane:WxH\n");
  EXPECT_EQ(keeper.Usage({"create", "a", "--random", "1", "--from", "x.rle"}),
            "--random and --from are two boards; pass one\n");
  EXPECT_EQ(keeper.Usage({"create", "a", "--topology", "torus:8x8", "--at", "1,1"}),
            "--at is for a pattern file; pass --from glider.rle\n");
  EXPECT_EQ(keeper.Usage({"create", "a", "--lease", "1"}),
            "--lease '1' needs a unit of ns, us, ms, s, m or h, as in 500ms or 10s\n");
  EXPECT_EQ(keeper.Run({"create", "a", "--from", "/nonexistent/x.rle"}).err,
            "cannot read /nonexistent/x.rle: No such file or directory\n");
}

TEST(LifeBoardCommands, OnesThatAnswerWithABoard) {
  Keeper keeper;
  for (const auto& [arguments, seen] : std::vector<std::pair<Arguments, std::string>>{
           {{"stop", "a"}, "name: \"a\""},
           {{"fork", "a", "b", "--lease", "none"}, "name: \"a\" new_name: \"b\" lease_s: 0"},
           {{"fork", "a"}, "name: \"a\""},
           {{"restore", "s", "b", "--lease", "2m"}, "snapshot: \"s\" new_name: \"b\" lease_s: 120"},
           {{"update", "a", "--lease", "1h", "--autosave", "30s"},
            "name: \"a\" lease_s: 3600 autosave_every_s: 30"},
           {{"show", "a", "--facts", "box,hash"},
            "name: \"a\" facts: FACT_BOX facts: FACT_HASH"}}) {
    const CommandEnding table = keeper.Run(arguments);
    EXPECT_EQ(table.status, 0) << table.err;
    EXPECT_EQ(keeper.seen, seen);
    EXPECT_THAT(table.out, AllOf(HasSubstr("memory      1.5 KiB"), Not(HasSubstr("\x1b"))));
    Arguments json = arguments;
    json.insert(json.end(), {"--format", "json"});
    EXPECT_THAT(keeper.Run(json).out, HasSubstr("\"leaseLeftMs\": \"61000\""));
  }
  EXPECT_THAT(keeper.Run({"stop", "a", "--format", "csv"}).out,
              AllOf(StartsWith("board,owner_address,topology,rule,width,height,generation,"),
                    HasSubstr(",torus:64x32,B3/S23,64,32,12,0,,1536,0,3600,61000,600,0,0\n")));
  EXPECT_EQ(keeper.Run({"show", "a", "--format", "csv", "--facts", "changes"}).out,
            "generation,population,births,deaths\n0,0,0,0\n");
}

TEST(LifeBoardCommands, NeedAName) {
  Keeper keeper;
  for (const char* command :
       {"show", "update", "stop", "read", "write", "run", "watch", "fork", "snapshot", "delete"})
    EXPECT_EQ(keeper.Usage({command}), "the board is missing; see gpusim-client life list\n");
  EXPECT_EQ(keeper.Usage({"restore"}),
            "the snapshot is missing; see gpusim-client life snapshots\n");
  EXPECT_EQ(keeper.Usage({"update", "a"}), "nothing to change; pass --lease or --autosave\n");
  EXPECT_THAT(keeper.Usage({"stop", "a", "b"}), StartsWith("unexpected argument 'b'"));
}

TEST(LifeBoardCommands, ListsAndSnapshots) {
  Keeper keeper;
  const CommandEnding list = keeper.Run({"list"});
  EXPECT_THAT(list.out, AllOf(StartsWith("board "), HasSubstr("\nme/big\\x1b[2J  torus:64x32  "
                                                              "B3/S23          12  1.5 KiB        "
                                                              "1:01  -\n")));
  EXPECT_EQ(list.err, "2 boards, 3.0 KiB of 1.0 GiB\n");
  EXPECT_THAT(keeper.Run({"list", "--format", "json"}).out, HasSubstr("\"boards\": ["));
  EXPECT_THAT(keeper.Run({"snapshots"}).out, AllOf(HasSubstr("me/s"), HasSubstr("lease expired")));
  EXPECT_THAT(keeper.Run({"snapshots", "--format", "csv"}).out, HasSubstr("\nme/s,,0,,,0,0,0,0,"));
  EXPECT_THAT(keeper.Run({"snapshot", "a", "s", "--replace"}).out, HasSubstr("file        100 B"));
  EXPECT_EQ(keeper.seen, "name: \"a\" snapshot: \"s\" replace: true");
  EXPECT_EQ(keeper.Run({"delete", "a"}).err, "a is deleted\n");
  EXPECT_EQ(keeper.seen, "name: \"a\"");
  EXPECT_EQ(keeper.Run({"delete", "s", "--snapshot"}).err, "s is deleted\n");
  EXPECT_EQ(keeper.seen, "snapshot: \"s\"");
}

TEST(LifeBoardCommands, TheServersRefusalIsTold) {
  Keeper keeper;
  keeper.end = grpc::Status(grpc::StatusCode::ABORTED, "busy with a run\x1b[0m");
  for (const Arguments& arguments :
       {Arguments{"stop", "a"}, Arguments{"step", "a", "--to", "5"}, Arguments{"delete", "a"},
        Arguments{"write", "a", "--clear"}, Arguments{"watch", "a"}, Arguments{"list"}}) {
    const CommandEnding ending = keeper.Run(arguments);
    EXPECT_EQ(ending.status, 1);
    EXPECT_EQ(ending.err, "the server refused (ABORTED): busy with a run\\x1b[0m\n");
  }
}

v1::StepBoardResponse ProgressAt(std::uint64_t generation, v1::StopReason reason) {
  v1::StepBoardResponse progress;
  progress.mutable_facts()->set_generation(generation);
  progress.mutable_facts()->set_population(5);
  progress.set_target_generation(20);
  progress.set_generations_per_second(1000);
  progress.set_stop_reason(reason);
  return progress;
}

TEST(LifeStepBoardCommand, RunsABoardAndTellsTheEnd) {
  Keeper keeper;
  keeper.progress = {ProgressAt(10, v1::STOP_REASON_UNSPECIFIED),
                     ProgressAt(20, v1::STOP_REASON_TARGET)};
  const CommandEnding table =
      keeper.Run({"step", "a", "--generations", "20", "--until", "still", "--max-duration", "1.5s",
                  "--queue", "--if-generation", "0", "--facts", "changes"});
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(keeper.seen,
            "name: \"a\" generations: 20 if_generation: 0 until { still: true } max_duration_ms: "
            "1500 queue: true facts: FACT_CHANGES");
  EXPECT_EQ(table.out,
            "generation  population  births  deaths\n        20           5       0"
            "       0\n");
  EXPECT_EQ(table.err, "generation 20 of 20, 1000 generations/s: the target is reached\n");
  EXPECT_EQ(keeper.Run({"step", "a", "--to", "20", "--format", "csv"}).out,
            "generation,population,stop_reason,period,target_generation,elapsed_ms\n"
            "20,5,TARGET,0,20,0\n");
  EXPECT_EQ(keeper.seen, "name: \"a\" to_generation: 20");
  EXPECT_THAT(keeper.Run({"step", "a", "--to", "20", "--format", "json"}).out,
              HasSubstr("\"stopReason\": \"STOP_REASON_TARGET\""));
  keeper.progress = {ProgressAt(0, v1::STOP_REASON_UNSPECIFIED)};
  EXPECT_THAT(keeper.Run({"step", "a", "--to", "20", "--detached"}).err,
              HasSubstr(": it runs on the server\n"));
  EXPECT_EQ(keeper.seen, "name: \"a\" to_generation: 20 detached: true");
}

TEST(LifeStepBoardCommand, ASeriesGoesOutAsItComes) {
  Keeper keeper;
  keeper.progress = {ProgressAt(10, v1::STOP_REASON_UNSPECIFIED),
                     ProgressAt(20, v1::STOP_REASON_TARGET)};
  const Arguments asked = {"step", "a", "--to", "20", "--facts-every", "10"};
  EXPECT_EQ(keeper.Run(asked).out,
            "generation  population\n        10           5\n"
            "        20           5\n");
  Arguments csv = asked;
  csv.insert(csv.end(), {"--format", "csv"});
  EXPECT_EQ(keeper.Run(csv).out, "generation,population\n10,5\n20,5\n");
  Arguments json = asked;
  json.insert(json.end(), {"--format", "json"});
  const std::string lines = keeper.Run(json).out;
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 2);
  EXPECT_THAT(lines, StartsWith("{\"facts\":{\"generation\":\"10\","));
}

TEST(LifeStepBoardCommand, ARunThatBreaksSaysHowToGoOn) {
  Keeper keeper;
  keeper.progress = {ProgressAt(10, v1::STOP_REASON_UNSPECIFIED)};
  keeper.end = grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
  const CommandEnding ending = keeper.Run({"step", "a", "--to", "20"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.err,
            "the server is unavailable: gone\n  it was at generation 10; go on with --to 20\n");
  keeper.end = grpc::Status::OK;
  keeper.progress = {ProgressAt(10, v1::STOP_REASON_DRAINING)};
  const CommandEnding draining = keeper.Run({"step", "a", "--to", "20"});
  EXPECT_EQ(draining.status, 1);
  EXPECT_THAT(draining.err, StartsWith("the server is stopping\n"));
}

TEST(LifeStepBoardCommand, ChecksItsOptions) {
  Keeper keeper;
  EXPECT_EQ(keeper.Usage({"step", "a"}), "no target; pass --generations N or --to N\n");
  EXPECT_EQ(keeper.Usage({"step", "a", "--to", "1", "--generations", "1"}),
            "--to and --generations are two targets; pass one\n");
  EXPECT_EQ(keeper.Usage({"step", "a", "--to", "1", "--rule", "B3/S23"}),
            "--rule is for a pattern, not for a board\n");
  EXPECT_EQ(keeper.Usage({"step", "a", "--to", "1", "--detached", "--facts-every", "1"}),
            "--facts-every needs somebody who reads; leave out --detached\n");
  EXPECT_EQ(keeper.Usage({"step", "a", "--to", "x"}),
            "--to 'x' is not a number such as 1000 or 1e9\n");
  EXPECT_EQ(keeper.Usage({"step", "a", "--to", "1", "--max-duration", "0s"}),
            "--max-duration '0s' has to be more than 0\n");
}

}  // namespace
}  // namespace gpusim::testing
