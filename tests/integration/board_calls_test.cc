// The unary calls about boards: what they answer, and how they refuse.
#include <set>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/board_client.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/life_cases.h"
#include "tests/testing/temporary_directory.h"

namespace gpusim::testing {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Stub = v1::LifeService::Stub;

class BoardCallsTest : public ::testing::Test {
 protected:
  server::ServerOptions Options() {
    server::ServerOptions options = TestOptions();
    options.state_dir = state_.path();
    options.server_id = "here";
    return options;
  }

  v1::SnapshotBoardRequest SnapshotOf(const std::string& name, const std::string& snapshot) {
    v1::SnapshotBoardRequest request;
    request.set_name(name);
    request.set_snapshot(snapshot);
    return request;
  }

  TemporaryDirectory state_;
  InProcessServer server_{Options()};
  BoardClient boards_{server_.life()};
};

TEST_F(BoardCallsTest, ABoardIsWhatItWasMadeAs) {
  v1::CreateBoardHeader header = Header("a", "torus:100x60");
  header.set_pattern(kGliderRle);
  header.set_rule("B36/S23");
  header.set_generation(7);
  header.set_lease_s(60);
  header.set_autosave_every_s(0);
  v1::CreateBoardResponse created;
  ASSERT_TRUE(boards_.TryCreate(header, {}, &created).ok());
  EXPECT_THAT(created.notes(),
              ElementsAre("rule B36/S23 of the request used, the file says B3/S23"));
  const v1::GetBoardResponse got =
      boards_.Get("a", {v1::FACT_BOX, v1::FACT_DIGEST, v1::FACT_SHAPE_DIGEST, v1::FACT_HASH});
  EXPECT_EQ(got.board().name(), "here/a");
  EXPECT_EQ(got.board().owner_address(), server_.address());
  EXPECT_EQ(got.board().rule(), "B36/S23");
  EXPECT_EQ(got.board().topology(), "torus:100x60");
  EXPECT_EQ(got.board().generation(), 7u);
  EXPECT_EQ(got.board().lease_s(), 60u);
  EXPECT_EQ(got.board().autosave_every_s(), 0u);
  EXPECT_GT(got.board().memory_bytes(), 0u);
  EXPECT_EQ(got.facts().population(), 5u);
  EXPECT_EQ(got.facts().box().x(), 48u);
  EXPECT_EQ(got.facts().box().y(), 28u);
  EXPECT_EQ(got.facts().box().width(), 3u);
  life::Board board = life::Board::Empty(100, 60);
  for (const auto& [x, y] : {std::pair{49u, 28u}, {50u, 29u}, {48u, 30u}, {49u, 30u}, {50u, 30u}})
    board.Set(x, y, true);
  EXPECT_EQ(got.facts().hash(), HexHash(board));
  EXPECT_EQ(got.facts().digest().size(), 16u);
  EXPECT_EQ(got.provenance().backend(), server_.info().backend());
  EXPECT_EQ(boards_.Get("here/a").board().name(), "here/a");
}

// A hash is made from bands of a MiB on a thread of the pool: the same as from the whole.
TEST_F(BoardCallsTest, TheHashOfABoardOfSeveralBands) {
  boards_.Create(RandomHeader("a", "torus:4099x4001", 5));
  const ReadCells cells = boards_.Read("a");
  life::Board board = life::Board::Empty(4099, 4001);
  const std::size_t row_bytes = (4099 + 7) / 8;
  for (std::uint32_t y = 0; y < 4001; ++y) {
    for (std::uint32_t x = 0; x < 4099; ++x) {
      if ((cells.data[y * row_bytes + x / 8] >> (x % 8) & 1) != 0) board.Set(x, y, true);
    }
  }
  EXPECT_EQ(boards_.Hash("a"), HexHash(board));
}

TEST_F(BoardCallsTest, LeasesAreChanged) {
  boards_.Create(Header("a", "torus:8x8"));
  EXPECT_EQ(boards_.Get("a").board().lease_s(), 3600u);
  EXPECT_EQ(boards_.Get("a").board().autosave_every_s(), 600u);
  v1::UpdateBoardRequest request;
  request.set_name("a");
  request.set_lease_s(0);
  const v1::Board board = boards_.Call(&Stub::UpdateBoard, request).board();
  EXPECT_EQ(board.lease_s(), 0u);
  EXPECT_EQ(board.autosave_every_s(), 600u);
}

TEST_F(BoardCallsTest, ListsArePaged) {
  for (const char* name : {"c", "a", "d", "b"}) boards_.Create(Header(name, "torus:8x8"));
  v1::ListBoardsRequest request;
  request.set_page_size(3);
  const auto first = boards_.Call(&Stub::ListBoards, request);
  ASSERT_EQ(first.boards_size(), 3);
  EXPECT_EQ(first.boards(0).name(), "here/a");
  EXPECT_EQ(first.boards(2).name(), "here/c");
  EXPECT_GT(first.memory_bytes(), 0u);
  EXPECT_GT(first.max_memory_bytes(), first.memory_bytes());
  request.set_page_token(first.next_page_token());
  const auto second = boards_.Call(&Stub::ListBoards, request);
  ASSERT_EQ(second.boards_size(), 1);
  EXPECT_EQ(second.boards(0).name(), "here/d");
  EXPECT_EQ(second.next_page_token(), "");
  request.set_page_size(1001);
  v1::ListBoardsResponse response;
  EXPECT_THAT(ViolationsOf(boards_.Try(&Stub::ListBoards, request, &response)),
              ElementsAre("page_size: '1001': at most 1000"));
}

TEST_F(BoardCallsTest, DeletedIsGone) {
  boards_.Create(Header("a", "torus:8x8"));
  EXPECT_EQ(boards_.TryCreate(Header("a", "torus:8x8")).error_code(), StatusCode::ALREADY_EXISTS);
  boards_.Delete("a");
  EXPECT_EQ(boards_.TryGet("a").error_code(), StatusCode::NOT_FOUND);
  v1::DeleteBoardRequest request;
  request.set_name("a");
  v1::DeleteBoardResponse response;
  EXPECT_EQ(boards_.Try(&Stub::DeleteBoard, request, &response).error_code(),
            StatusCode::NOT_FOUND);
  boards_.Create(Header("a", "torus:8x8"));
}

TEST_F(BoardCallsTest, AForkGoesItsOwnWay) {
  boards_.Create(RandomHeader("a", "torus:64x64", 1));
  v1::ForkBoardRequest request;
  request.set_name("a");
  request.set_new_name("here/b");
  request.set_lease_s(99);
  const v1::Board fork = boards_.Call(&Stub::ForkBoard, request).board();
  EXPECT_EQ(fork.name(), "here/b");
  EXPECT_EQ(fork.lease_s(), 99u);
  const std::string hash = boards_.Hash("a");
  boards_.Step(StepRequestOf("a", 10));
  EXPECT_EQ(boards_.Hash("b"), hash);
  EXPECT_NE(boards_.Hash("a"), hash);
  boards_.Step(StepRequestOf("b", 10));
  EXPECT_EQ(boards_.Hash("b"), boards_.Hash("a"));
  request.set_name("nobody");
  v1::ForkBoardResponse response;
  EXPECT_EQ(boards_.Try(&Stub::ForkBoard, request, &response).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(BoardCallsTest, SnapshotsAreRestored) {
  boards_.Create(RandomHeader("a", "plane:70x50", 1));
  boards_.Step(StepRequestOf("a", 3));
  const std::string hash = boards_.Hash("a");
  const v1::Snapshot snapshot = boards_.Call(&Stub::SnapshotBoard, SnapshotOf("a", "s")).snapshot();
  EXPECT_EQ(snapshot.name(), "here/s");
  EXPECT_EQ(snapshot.board(), "here/a");
  EXPECT_EQ(snapshot.generation(), 3u);
  EXPECT_EQ(snapshot.cause(), v1::SNAPSHOT_CAUSE_ASKED);
  v1::SnapshotBoardResponse again;
  EXPECT_EQ(boards_.Try(&Stub::SnapshotBoard, SnapshotOf("a", "s"), &again).error_code(),
            StatusCode::ALREADY_EXISTS);
  EXPECT_EQ(boards_.Call(&Stub::SnapshotBoard, SnapshotOf("a", "")).snapshot().name(), "here/a-3");

  v1::RestoreBoardRequest restore;
  restore.set_snapshot("here/s");
  v1::RestoreBoardResponse exists;
  EXPECT_EQ(boards_.Try(&Stub::RestoreBoard, restore, &exists).error_code(),
            StatusCode::ALREADY_EXISTS);
  restore.set_new_name("b");
  const v1::Board restored = boards_.Call(&Stub::RestoreBoard, restore).board();
  EXPECT_EQ(restored.generation(), 3u);
  EXPECT_EQ(restored.topology(), "plane:70x50");
  EXPECT_EQ(boards_.Hash("b"), hash);

  v1::ListSnapshotsRequest list;
  list.set_page_size(1);
  const auto first = boards_.Call(&Stub::ListSnapshots, list);
  ASSERT_EQ(first.snapshots_size(), 1);
  EXPECT_EQ(first.snapshots(0).name(), "here/a-3");
  EXPECT_GT(first.state_bytes(), 0u);
  list.set_page_token(first.next_page_token());
  EXPECT_EQ(boards_.Call(&Stub::ListSnapshots, list).snapshots(0).name(), "here/s");

  v1::DeleteSnapshotRequest remove;
  remove.set_snapshot("s");
  boards_.Call(&Stub::DeleteSnapshot, remove);
  v1::DeleteSnapshotResponse gone;
  EXPECT_EQ(boards_.Try(&Stub::DeleteSnapshot, remove, &gone).error_code(), StatusCode::NOT_FOUND);
}

TEST_F(BoardCallsTest, ABoardOfAnotherServerIsNamedWithItsOwner) {
  const grpc::Status status = boards_.TryGet("there/a");
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  const auto info = DetailOf<google::rpc::ErrorInfo>(status);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->reason(), "BOARD_ELSEWHERE");
  EXPECT_EQ(info->metadata().at("owner"), "there");
}

TEST_F(BoardCallsTest, NamesThatAreNoneAreRefused) {
  for (const char* name : {"", "-a", "a b", "../a", "here/../a"}) {
    EXPECT_EQ(boards_.TryGet(name).error_code(), StatusCode::INVALID_ARGUMENT) << name;
  }
  EXPECT_EQ(boards_.TryCreate(Header("a/b/c", "torus:8x8")).error_code(),
            StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(boards_.Create(Header("", "torus:8x8")).name(), ::testing::StartsWith("here/"));
}

TEST_F(BoardCallsTest, ARepeatGetsTheFirstAnswer) {
  v1::CreateBoardHeader header = RandomHeader("a", "torus:64x64", 1);
  header.set_request_id("create");
  const v1::Board board = boards_.Create(header);
  EXPECT_EQ(boards_.Create(header).created_unix_ms(), board.created_unix_ms());
  header.mutable_random()->set_seed(2);
  EXPECT_THAT(ViolationsOf(boards_.TryCreate(header)),
              ElementsAre(HasSubstr("request_id: 'create'")));

  v1::DeleteBoardRequest request;
  request.set_name("a");
  request.set_request_id("delete");
  boards_.Call(&Stub::DeleteBoard, request);
  boards_.Call(&Stub::DeleteBoard, request);
  request.set_request_id("another");
  v1::DeleteBoardResponse response;
  EXPECT_EQ(boards_.Try(&Stub::DeleteBoard, request, &response).error_code(),
            StatusCode::NOT_FOUND);
  // What failed is not remembered.
  boards_.Create(Header("a", "torus:8x8"));
  EXPECT_TRUE(boards_.Try(&Stub::DeleteBoard, request, &response).ok());
  request.set_request_id(std::string(129, 'x'));
  EXPECT_THAT(ViolationsOf(boards_.Try(&Stub::DeleteBoard, request, &response)),
              ElementsAre(HasSubstr("at most 128 bytes")));
}

TEST_F(BoardCallsTest, TheServerTellsOfItsBoards) {
  boards_.Create(Header("a", "torus:64x64"));
  boards_.RunDetached("a");
  v1::GetInfoResponse info;
  grpc::ClientContext context;
  ASSERT_TRUE(server_.server_service().GetInfo(&context, {}, &info).ok());
  EXPECT_TRUE(info.boards().on());
  EXPECT_EQ(info.boards().owner(), "here");
  EXPECT_EQ(info.boards().address(), server_.address());
  EXPECT_EQ(info.boards().boards(), 1u);
  EXPECT_EQ(info.boards().running(), 1u);
  EXPECT_GT(info.boards().memory_bytes(), 0u);
  EXPECT_GT(info.boards().max_memory_bytes(), 0u);
  EXPECT_EQ(info.boards().max_state_bytes(), std::uint64_t{64} << 30);
  server_.AwaitStatistics("boards", [](const auto& kind) { return kind.batches() > 0; });
  boards_.Stop("a");
}

TEST(BoardsOffTest, EveryCallSaysSo) {
  server::ServerOptions options = TestOptions();
  options.boards = false;
  InProcessServer server(options);
  BoardClient boards(server.life());
  const grpc::Status status = boards.TryGet("a");
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("--boards"));
  EXPECT_EQ(boards.TryCreate(Header("a", "torus:8x8")).error_code(),
            StatusCode::FAILED_PRECONDITION);
  v1::ListBoardsResponse list;
  EXPECT_EQ(boards.Try(&Stub::ListBoards, v1::ListBoardsRequest(), &list).error_code(),
            StatusCode::FAILED_PRECONDITION);
  EXPECT_EQ(boards.TryStep(StepRequestOf("a", 1)).error_code(), StatusCode::FAILED_PRECONDITION);
  ReadCells cells;
  v1::ReadRegionRequest read;
  read.set_name("a");
  EXPECT_EQ(boards.TryRead(read, cells).error_code(), StatusCode::FAILED_PRECONDITION);
}

TEST(BoardsWithoutFilesTest, SnapshotsSayWhatIsMissing) {
  InProcessServer server;
  BoardClient boards(server.life());
  boards.Create(Header("a", "torus:8x8"));
  v1::SnapshotBoardRequest request;
  request.set_name("a");
  v1::SnapshotBoardResponse response;
  const grpc::Status status = boards.Try(&Stub::SnapshotBoard, request, &response);
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("state-dir"));
}

TEST(BoardBudgetTest, AFullBudgetSaysWhatIsMissingAndDeletingFreesIt) {
  server::ServerOptions options = TestOptions();
  options.device_memory = 4u << 20;
  InProcessServer server(options);
  BoardClient boards(server.life());
  // 2 MiB with its second buffer.
  boards.Create(Header("a", "torus:4096x2048"));
  boards.Create(Header("b", "torus:4096x2048"));
  const grpc::Status full = boards.TryCreate(Header("c", "torus:4096x2048"));
  EXPECT_EQ(full.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("needs 2097152 bytes"));
  EXPECT_THAT(full.error_message(), HasSubstr("0 bytes are free"));
  EXPECT_THAT(full.error_message(), HasSubstr("next lease ends"));
  EXPECT_TRUE(DetailOf<google::rpc::RetryInfo>(full).has_value());
  boards.Delete("a");
  boards.Create(Header("c", "torus:4096x2048"));
  const grpc::Status giant = boards.TryCreate(Header("d", "torus:4294967295x4294967295"));
  EXPECT_EQ(giant.error_code(), StatusCode::RESOURCE_EXHAUSTED);
}

TEST(BoardBudgetTest, TheNumberOfBoardsIsBounded) {
  server::ServerOptions options = TestOptions();
  options.max_boards = 2;
  InProcessServer server(options);
  BoardClient boards(server.life());
  boards.Create(Header("a", "torus:8x8"));
  boards.Create(Header("b", "torus:8x8"));
  const grpc::Status full = boards.TryCreate(Header("c", "torus:8x8"));
  EXPECT_EQ(full.error_code(), StatusCode::RESOURCE_EXHAUSTED);
  EXPECT_THAT(full.error_message(), HasSubstr("max-boards"));
}

}  // namespace
}  // namespace gpusim::testing
