// StepBoard: what it tells, when it ends, and that nothing waits for it.
#include <chrono>
#include <future>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/board_client.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/life_cases.h"

namespace gpusim::testing {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Stub = v1::LifeService::Stub;

class BoardRunTest : public ::testing::Test {
 protected:
  void MakeGlider(const std::string& name) {
    v1::CreateBoardHeader header = Header(name, "torus:64x64");
    header.set_pattern(kGliderRle);
    boards_.Create(header);
  }

  InProcessServer server_;
  BoardClient boards_{server_.life()};
};

TEST_F(BoardRunTest, ARunIsThatOfTheReference) {
  std::mt19937_64 random(3);
  for (const life::Topology topology : {life::Topology::kTorus, life::Topology::kPlane}) {
    const life::Board start = RandomBoard(67, 41, 0.4, random);
    v1::CreateBoardHeader header =
        Header("a", topology == life::Topology::kTorus ? "torus:67x41" : "plane:67x41");
    *header.mutable_packed() = PackedOf(start);
    boards_.Create(header);
    v1::StepBoardRequest request = StepRequestOf("a", 57);
    for (const v1::Fact fact : {v1::FACT_CHANGES, v1::FACT_BOX, v1::FACT_DIGEST})
      request.add_facts(fact);
    const v1::StepBoardResponse last = boards_.Step(request);
    const life::Board end = StepByReference(
        {.board = start, .rule = life::kConway, .topology = topology, .generations = 57});
    EXPECT_EQ(last.stop_reason(), v1::STOP_REASON_TARGET);
    EXPECT_EQ(last.target_generation(), 57u);
    EXPECT_EQ(last.facts().generation(), 57u);
    EXPECT_EQ(last.facts().population(), life::Population(end));
    EXPECT_EQ(last.facts().digest().size(), 16u);
    EXPECT_GT(last.facts().births(), 0u);
    EXPECT_EQ(last.provenance().backend(), server_.info().backend());
    EXPECT_EQ(boards_.Hash("a"), HexHash(end));
    EXPECT_EQ(boards_.Get("a").board().last_run().stop_reason(), v1::STOP_REASON_TARGET);
    boards_.Delete("a");
  }
}

TEST_F(BoardRunTest, TargetsAreAbsoluteOrRelative) {
  MakeGlider("a");
  v1::StepBoardRequest request;
  request.set_name("a");
  request.set_to_generation(10);
  EXPECT_EQ(boards_.Step(request).facts().generation(), 10u);
  EXPECT_EQ(boards_.Step(request).facts().generation(), 10u);
  request.set_to_generation(9);
  EXPECT_EQ(boards_.TryStep(request).error_code(), StatusCode::INVALID_ARGUMENT);
  request.set_generations(5);
  request.set_if_generation(11);
  const grpc::Status status = boards_.TryStep(request);
  EXPECT_EQ(status.error_code(), StatusCode::ABORTED);
  EXPECT_THAT(status.error_message(), HasSubstr("10"));
  request.set_if_generation(10);
  EXPECT_EQ(boards_.Step(request).facts().generation(), 15u);
}

TEST_F(BoardRunTest, FaultsAreNamedAtOnce) {
  v1::StepBoardRequest request;
  request.set_name("a");
  request.mutable_until()->set_period_at_most(4097);
  request.set_progress_interval_ms(9);
  request.add_facts(v1::FACT_HASH);
  request.add_facts(static_cast<v1::Fact>(77));
  request.set_request_id(std::string(129, 'x'));
  EXPECT_THAT(ViolationsOf(boards_.TryStep(request)),
              ::testing::UnorderedElementsAre(
                  HasSubstr("target: ''"), HasSubstr("until.period_at_most: '4097'"),
                  HasSubstr("progress_interval_ms: '9'"), HasSubstr("facts: 'FACT_HASH'"),
                  HasSubstr("facts[1]: '77'"), HasSubstr("request_id")));
  EXPECT_EQ(boards_.TryStep(StepRequestOf("nobody", 1)).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(BoardRunTest, ARepeatIsSteppedOnce) {
  MakeGlider("a");
  v1::StepBoardRequest request = StepRequestOf("a", 7);
  request.set_request_id("once");
  EXPECT_EQ(boards_.Step(request).facts().generation(), 7u);
  const v1::StepBoardResponse again = boards_.Step(request);
  EXPECT_EQ(again.facts().generation(), 7u);
  EXPECT_EQ(again.stop_reason(), v1::STOP_REASON_TARGET);
  EXPECT_EQ(boards_.Get("a").board().generation(), 7u);
  request.set_generations(8);
  EXPECT_THAT(ViolationsOf(boards_.TryStep(request)), ElementsAre(HasSubstr("request_id: 'once'")));
}

TEST_F(BoardRunTest, ARepeatOfARunUnderWayWaitsForItsEnd) {
  MakeGlider("a");
  v1::StepBoardRequest request = StepRequestOf("a", kEndlessRun);
  request.set_request_id("once");
  request.set_progress_interval_ms(10);
  BoardRun first(server_.life(), request);
  v1::StepBoardResponse progress;
  ASSERT_TRUE(first.Read(progress));
  BoardRun second(server_.life(), request);
  const v1::Board stopped = boards_.Stop("a");
  const auto firsts = first.ReadAll();
  const auto seconds = second.ReadAll();
  EXPECT_TRUE(first.Finish().ok());
  EXPECT_TRUE(second.Finish().ok());
  ASSERT_FALSE(firsts.empty());
  ASSERT_EQ(seconds.size(), 1u);
  EXPECT_EQ(seconds.back().ShortDebugString(), firsts.back().ShortDebugString());
  EXPECT_EQ(seconds.back().facts().generation(), stopped.generation());
  EXPECT_EQ(seconds.back().stop_reason(), v1::STOP_REASON_STOPPED);
}

TEST_F(BoardRunTest, NobodyWaitsForARun) {
  MakeGlider("a");
  v1::StepBoardRequest endless = StepRequestOf("a", kEndlessRun);
  endless.set_detached(true);
  endless.set_request_id("the-run");
  const v1::StepBoardResponse running = boards_.Step(endless);
  EXPECT_EQ(running.stop_reason(), v1::STOP_REASON_UNSPECIFIED);
  EXPECT_EQ(running.target_generation(), kEndlessRun);

  const v1::Board board =
      boards_
          .Await("a",
                 [](const v1::Board& now) {
                   return now.generation() > 1000 && now.run().generations_per_second() > 0;
                 })
          .board();
  EXPECT_EQ(board.run().target_generation(), kEndlessRun);
  EXPECT_EQ(board.run().request_id(), "the-run");
  EXPECT_TRUE(board.run().detached());
  const v1::GetBoardResponse facts = boards_.Get("a", {v1::FACT_HASH, v1::FACT_DIGEST});
  EXPECT_EQ(facts.facts().population(), 5u);
  EXPECT_EQ(facts.facts().generation(), facts.board().generation());
  const ReadCells cells = boards_.Read("a");
  EXPECT_GE(cells.header.generation(), facts.facts().generation());
  v1::ForkBoardRequest fork;
  fork.set_name("a");
  fork.set_new_name("b");
  EXPECT_GE(boards_.Call(&Stub::ForkBoard, fork).board().generation(), cells.header.generation());
  EXPECT_EQ(boards_.Get("b").facts().population(), 5u);

  for (const bool queue : {false}) {
    v1::StepBoardRequest step = StepRequestOf("a", 1);
    step.set_queue(queue);
    const grpc::Status busy = boards_.TryStep(step);
    EXPECT_EQ(busy.error_code(), StatusCode::ABORTED);
    EXPECT_THAT(busy.error_message(), HasSubstr("the-run"));
    v1::WriteRegionHeader write;
    write.set_name("a");
    write.set_clear(true);
    const grpc::Status no_write = boards_.TryWrite(write);
    EXPECT_EQ(no_write.error_code(), StatusCode::ABORTED);
    EXPECT_THAT(no_write.error_message(), HasSubstr("the-run"));
  }
  EXPECT_FALSE(boards_.Stop("a").has_run());
  EXPECT_EQ(boards_.Get("a").board().last_run().stop_reason(), v1::STOP_REASON_STOPPED);
}

TEST_F(BoardRunTest, WhoQueuesWaitsForItsTurn) {
  MakeGlider("a");
  boards_.RunDetached("a");
  v1::StepBoardRequest request = StepRequestOf("a", 1);
  request.set_queue(true);
  BoardRun queued(server_.life(), request);
  // Stop would end it too; a run that is bounded in time ends by itself.
  const std::uint64_t stopped = boards_.Stop("a").generation();
  const auto told = queued.ReadAll();
  ASSERT_TRUE(queued.Finish().ok());
  EXPECT_GE(told.back().facts().generation(), stopped);

  v1::StepBoardRequest short_run = StepRequestOf("a", kEndlessRun);
  short_run.set_max_duration_ms(50);
  short_run.set_detached(true);
  boards_.Step(short_run);
  v1::WriteRegionHeader write;
  write.set_name("a");
  write.set_clear(true);
  write.set_queue(true);
  boards_.Write(write);
  EXPECT_EQ(boards_.Get("a").facts().population(), 0u);
  EXPECT_EQ(boards_.Get("a").board().last_run().stop_reason(), v1::STOP_REASON_TIME);
}

TEST_F(BoardRunTest, AQueuedWriteOfACallerWhoLeftIsNotDone) {
  MakeGlider("a");
  boards_.RunDetached("a");
  {
    grpc::ClientContext context;
    v1::WriteRegionResponse response;
    const auto writer = server_.life().WriteRegion(&context, &response);
    v1::WriteRegionRequest request;
    request.mutable_header()->set_name("a");
    request.mutable_header()->set_queue(true);
    request.mutable_header()->set_pattern("64o!");
    context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(200));
    writer->Write(request);
    writer->WritesDone();
    context.TryCancel();
    EXPECT_FALSE(writer->Finish().ok());
  }
  server_.AwaitStatistics("boards", [](const auto& kind) { return kind.batches() > 0; });
  boards_.Stop("a");
  EXPECT_EQ(boards_.Get("a").facts().population(), 5u);
}

TEST_F(BoardRunTest, ARunEndsByItsConditionAtThatGeneration) {
  v1::CreateBoardHeader header = Header("a", "torus:64x64");
  header.set_pattern("6bo$2o$bo3b3o!");  // dies in generation 130
  boards_.Create(header);
  v1::StepBoardRequest request = StepRequestOf("a", 1000);
  request.mutable_until()->set_extinct(true);
  const v1::StepBoardResponse last = boards_.Step(request);
  EXPECT_EQ(last.stop_reason(), v1::STOP_REASON_CONDITION);
  EXPECT_EQ(last.facts().generation(), 130u);
  header = Header("b", "torus:64x64");
  header.set_pattern("3o!");
  boards_.Create(header);
  request = StepRequestOf("b", 1000);
  request.mutable_until()->set_period_at_most(4);
  EXPECT_EQ(boards_.Step(request).period(), 2u);
}

TEST_F(BoardRunTest, EveryMessageByGenerationsIsToldHoweverSlowlyTheyAreRead) {
  MakeGlider("a");
  v1::StepBoardRequest request = StepRequestOf("a", 20'000);
  request.set_facts_every(10);
  BoardRun run(server_.life(), request);
  // Read late: the server then has as many messages waiting as it may have.
  boards_.Await("a", [](const v1::Board& board) { return board.generation() > 300; });
  const auto told = run.ReadAll();
  EXPECT_TRUE(run.Finish().ok());
  std::uint64_t generation = 0;
  for (const v1::StepBoardResponse& message : told) {
    if (message.stop_reason() != v1::STOP_REASON_UNSPECIFIED) break;
    EXPECT_EQ(message.facts().generation(), generation += 10);
    EXPECT_EQ(message.facts().population(), 5u);
  }
  EXPECT_GE(generation, 19'990u);
  EXPECT_EQ(told.back().stop_reason(), v1::STOP_REASON_TARGET);
  EXPECT_EQ(told.back().facts().generation(), 20'000u);
}

TEST_F(BoardRunTest, ACallerWhoLeavesStopsTheRunAtAWholeGeneration) {
  MakeGlider("a");
  for (const bool by_deadline : {false, true}) {
    v1::StepBoardRequest request = StepRequestOf("a", kEndlessRun);
    request.set_progress_interval_ms(10);
    grpc::ClientContext context;
    if (by_deadline)
      context.set_deadline(std::chrono::system_clock::now() + std::chrono::milliseconds(100));
    const auto reader = server_.life().StepBoard(&context, request);
    v1::StepBoardResponse progress;
    EXPECT_TRUE(reader->Read(&progress));
    if (!by_deadline) context.TryCancel();
    while (reader->Read(&progress)) {
    }
    EXPECT_EQ(reader->Finish().error_code(),
              by_deadline ? StatusCode::DEADLINE_EXCEEDED : StatusCode::CANCELLED);
    const v1::GetBoardResponse got =
        boards_.Await("a", [](const v1::Board& board) { return !board.has_run(); });
    EXPECT_EQ(got.board().last_run().stop_reason(), v1::STOP_REASON_STOPPED);
    EXPECT_EQ(got.board().last_run().generation(), got.board().generation());
    EXPECT_EQ(got.facts().population(), 5u);
  }
  // A glider moves a cell in four generations, so the board tells its own.
  v1::StepBoardRequest on;
  on.set_name("a");
  on.set_to_generation((boards_.Get("a").board().generation() / 256 + 1) * 256);
  boards_.Step(on);
  v1::CreateBoardHeader header = Header("b", "torus:64x64");
  header.set_pattern(kGliderRle);
  boards_.Create(header);
  EXPECT_EQ(boards_.Hash("a"), boards_.Hash("b"));
}

TEST_F(BoardRunTest, StopOfABoardAtRestIsFine) {
  MakeGlider("a");
  EXPECT_EQ(boards_.Stop("a").generation(), 0u);
  boards_.RunDetached("a");
  boards_.Delete("a");
  EXPECT_EQ(boards_.TryGet("a").error_code(), StatusCode::NOT_FOUND);
}

TEST_F(BoardRunTest, ADrainEndsRunsWithOk) {
  MakeGlider("a");
  v1::StepBoardRequest request = StepRequestOf("a", kEndlessRun);
  request.set_progress_interval_ms(10);
  BoardRun run(server_.life(), request);
  v1::StepBoardResponse progress;
  ASSERT_TRUE(run.Read(progress));
  const auto began = std::chrono::steady_clock::now();
  auto drained =
      std::async(std::launch::async, [&] { server_.server().Drain(std::chrono::minutes(5)); });
  const auto told = run.ReadAll();
  EXPECT_TRUE(run.Finish().ok());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.back().stop_reason(), v1::STOP_REASON_DRAINING);
  EXPECT_GE(told.back().facts().generation(), progress.facts().generation());
  drained.get();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::minutes(1));
}

}  // namespace
}  // namespace gpusim::testing
