// WatchBoard: frames when something changed, how slow readers fare, and how a watch ends.
#include <bit>
#include <chrono>
#include <future>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/board_client.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Watch {
 public:
  Watch(InProcessServer& server, const v1::WatchBoardRequest& request)
      : reader_(server.life().WatchBoard(&context, request)) {}
  bool Read(v1::WatchBoardResponse& frame) { return reader_->Read(&frame); }
  grpc::Status End() {
    v1::WatchBoardResponse frame;
    while (Read(frame)) {
    }
    return reader_->Finish();
  }

  grpc::ClientContext context;

 private:
  std::unique_ptr<grpc::ClientReader<v1::WatchBoardResponse>> reader_;
};

v1::WatchBoardRequest Request(const std::string& name, double rate = 120) {
  v1::WatchBoardRequest request;
  request.set_name(name);
  request.set_frames_per_second(rate);
  return request;
}

class BoardWatchTest : public ::testing::Test {
 protected:
  InProcessServer server_;
  BoardClient boards_{server_.life()};
};

TEST_F(BoardWatchTest, AFrameComesAtOnceAndThenWhenTheBoardChanges) {
  boards_.Create(RandomHeader("a", "torus:70x50", 1));
  v1::WatchBoardRequest request = Request("a");
  request.add_facts(v1::FACT_DIGEST);
  Watch watch(server_, request);
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(watch.Read(frame));
  EXPECT_EQ(frame.facts().generation(), 0u);
  EXPECT_EQ(frame.facts().digest(), boards_.Get("a", {v1::FACT_DIGEST}).facts().digest());
  EXPECT_EQ(frame.packed().rows(), boards_.Read("a").data);
  boards_.Step(StepRequestOf("a", 1));
  ASSERT_TRUE(watch.Read(frame));
  EXPECT_EQ(frame.facts().generation(), 1u);
  EXPECT_EQ(frame.packed().rows(), boards_.Read("a").data);
  watch.context.TryCancel();
  EXPECT_EQ(watch.End().error_code(), StatusCode::CANCELLED);
}

TEST_F(BoardWatchTest, WhoHasSeenTheGenerationWaitsForAnother) {
  boards_.Create(RandomHeader("a", "torus:70x50", 1));
  boards_.Step(StepRequestOf("a", 5));
  v1::WatchBoardRequest request = Request("a");
  request.set_after_generation(5);
  Watch seen(server_, request);
  request.set_after_generation(4);
  Watch behind(server_, request);
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(behind.Read(frame));
  EXPECT_EQ(frame.facts().generation(), 5u);
  boards_.Step(StepRequestOf("a", 1));
  ASSERT_TRUE(seen.Read(frame));
  EXPECT_EQ(frame.facts().generation(), 6u);
}

TEST_F(BoardWatchTest, DensityOfSquaresThatDoNotFitEvenly) {
  v1::CreateBoardHeader header = Header("a", "torus:70x9");
  header.set_pattern("70o$70o$70o$70o$70o$o!");
  boards_.Create(header);
  v1::WatchBoardRequest request = Request("a");
  request.set_density_cell(4);
  request.mutable_region()->set_x(1);
  request.mutable_region()->set_y(0);
  request.mutable_region()->set_width(69);
  request.mutable_region()->set_height(9);
  Watch watch(server_, request);
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(watch.Read(frame));
  // The pattern has six rows from row 1 on; in its sixth only column 0 lives.
  EXPECT_EQ(frame.density().columns(), 18u);
  EXPECT_EQ(frame.density().rows(), 3u);
  const std::string& density = frame.density().density();
  ASSERT_EQ(density.size(), 54u);
  for (std::size_t i = 0; i < 18; ++i) {
    EXPECT_EQ(static_cast<unsigned char>(density[i]), 192u) << i;       // 3 of 4 rows: 191.25
    EXPECT_EQ(static_cast<unsigned char>(density[18 + i]), 128u) << i;  // 2 of 4: 127.5
    EXPECT_EQ(static_cast<unsigned char>(density[36 + i]), 0u) << i;
  }
}

TEST_F(BoardWatchTest, WhatIsRefused) {
  boards_.Create(Header("a", "torus:65536x1024"));
  const auto faults = [&](const v1::WatchBoardRequest& request) {
    return ViolationsOf(Watch(server_, request).End());
  };
  EXPECT_THAT(faults(Request("a")), ElementsAre(HasSubstr("a density_cell of 4 fits")));
  v1::WatchBoardRequest request = Request("a", 121);
  request.set_density_cell(65'537);
  request.add_facts(v1::FACT_HASH);
  EXPECT_EQ(faults(request).size(), 3u);
  request = Request("a");
  request.set_density_cell(3);
  EXPECT_THAT(faults(request), ElementsAre(HasSubstr("density_cell: '3'")));
  EXPECT_EQ(Watch(server_, Request("nobody")).End().error_code(), StatusCode::NOT_FOUND);
}

// Its frames are far larger than what the connection takes before it is read.
TEST_F(BoardWatchTest, ASlowReaderSkipsFramesAndStallsNobody) {
  boards_.Create(RandomHeader("a", "torus:4096x4096", 1));
  boards_.RunDetached("a");
  Watch watch(server_, Request("a"));
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(watch.Read(frame));
  const std::uint64_t seen = frame.facts().generation();
  boards_.Await("a", [&](const v1::Board& board) { return board.generation() > seen + 200; });
  std::uint64_t skipped = 0;
  std::uint64_t last = seen;
  for (int i = 0; i < 20 && skipped == 0; ++i) {
    ASSERT_TRUE(watch.Read(frame));
    EXPECT_GT(frame.facts().generation(), last);
    last = frame.facts().generation();
    skipped = frame.skipped();
  }
  EXPECT_GT(skipped, 0u);
}

TEST_F(BoardWatchTest, EndsWhenTheBoardIsDeleted) {
  boards_.Create(Header("a", "torus:64x64"));
  Watch watch(server_, Request("a", 0.01));
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(watch.Read(frame));
  boards_.Delete("a");
  EXPECT_EQ(watch.End().error_code(), StatusCode::NOT_FOUND);
}

TEST_F(BoardWatchTest, EndsWithOkAtADrain) {
  boards_.Create(Header("a", "torus:64x64"));
  Watch watch(server_, Request("a", 0.01));
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(watch.Read(frame));
  auto drained =
      std::async(std::launch::async, [&] { server_.server().Drain(std::chrono::minutes(5)); });
  EXPECT_TRUE(watch.End().ok());
  drained.get();
}

// A lease of a second, and a watch of three: without the watch the board would be gone.
TEST_F(BoardWatchTest, HoldsTheLease) {
  v1::CreateBoardHeader header = Header("a", "torus:64x64");
  header.set_lease_s(1);
  boards_.Create(header);
  header.set_name("b");
  boards_.Create(header);
  Watch watch(server_, Request("a", 0.01));
  v1::WatchBoardResponse frame;
  ASSERT_TRUE(watch.Read(frame));
  v1::ListBoardsResponse list;
  // Listing renews nothing.
  const auto give_up = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  do {
    list = boards_.Call(&v1::LifeService::Stub::ListBoards, v1::ListBoardsRequest());
  } while (list.boards_size() == 2 && std::chrono::steady_clock::now() < give_up);
  ASSERT_EQ(list.boards_size(), 1);
  EXPECT_THAT(list.boards(0).name(), HasSubstr("/a"));
}

}  // namespace
}  // namespace gpusim::testing
