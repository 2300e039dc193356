// The calls about resident boards of the client library, against servers in this process.
#include <atomic>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gpusim/client_proto.h>
#include <gtest/gtest.h>

#include "client/request_id.h"
#include "client/rows_call.h"
#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::ElementsAre;
using testing::FakeHandlers;
using testing::FakeServer;
using ::testing::SizeIs;

using CreateReader = grpc::ServerReaderInterface<v1::CreateBoardRequest>;
using WriteReader = grpc::ServerReaderInterface<v1::WriteRegionRequest>;
using StepWriter = grpc::ServerWriterInterface<v1::StepBoardResponse>;
using ReadWriter = grpc::ServerWriterInterface<v1::ReadRegionResponse>;
using WatchWriter = grpc::ServerWriterInterface<v1::WatchBoardResponse>;

Client Connect(const FakeServer& server, ClientOptions options = {}) {
  options.server = server.address();
  return std::move(Client::Create(options).value());
}

// Everything that a call that sends rows has sent.
struct Uploads {
  std::vector<std::string> headers;
  std::vector<std::string> rows;

  template <class Request>
  void Take(grpc::ServerReaderInterface<Request>& reader) {
    Request request;
    while (reader.Read(&request)) {
      if (request.has_header()) {
        auto header = request.header();
        EXPECT_THAT(header.request_id(), SizeIs(32));
        header.clear_request_id();
        headers.push_back(header.ShortDebugString());
      } else {
        rows.push_back(request.rows());
      }
    }
  }
};

TEST(ClientBoards, CreatesABoardWithItsTimes) {
  Uploads uploads;
  FakeServer server({.create_board = [&](grpc::ServerContext&, CreateReader& reader,
                                         v1::CreateBoardResponse& response) {
    uploads.Take(reader);
    response.mutable_board()->set_name("me/big");
    response.mutable_board()->set_lease_s(3600);
    response.mutable_board()->mutable_run()->set_target_generation(9);
    response.add_notes("a note");
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto made = client.boards().Create({.name = "big",
                                            .topology = "torus:64x64",
                                            .rule = "B36/S23",
                                            .source = RandomCells{0.375, 1},
                                            .generation = 5,
                                            .lease = seconds(0),
                                            .autosave_every = seconds(60)});
  ASSERT_TRUE(made) << made.error().message;
  EXPECT_EQ(made->board.name, "me/big");
  EXPECT_EQ(made->board.lease, seconds(3600));
  EXPECT_EQ(made->board.run->target_generation, 9u);
  EXPECT_THAT(made->notes, ElementsAre("a note"));
  EXPECT_THAT(uploads.headers,
              ElementsAre("name: \"big\" topology: \"torus:64x64\" rule: \"B36/S23\" random { "
                          "density: 0.375 seed: 1 } generation: 5 lease_s: 0 autosave_every_s: "
                          "60"));
}

// 1,048,577 bytes a row and less fit a message of 1 MiB in whole rows.
TEST(ClientBoards, BandsAreWholeRowsOfAMebibyte) {
  EXPECT_EQ(BandRows(65536), 128u);
  EXPECT_EQ(BandRows(65537), 127u);
  EXPECT_EQ(BandRows(1), std::uint64_t{1} << 20);
  EXPECT_EQ(BandRows(8u << 20), 1u);
  EXPECT_EQ(BandRows(0xffff'ffff), 1u);
}

TEST(ClientBoards, StreamsRowsInBands) {
  Uploads uploads;
  FakeServer server({.create_board =
                         [&](grpc::ServerContext&, CreateReader& reader, v1::CreateBoardResponse&) {
                           uploads.Take(reader);
                           return grpc::Status::OK;
                         },
                     .write_region =
                         [&](grpc::ServerContext&, WriteReader& reader, v1::WriteRegionResponse&) {
                           uploads.Take(reader);
                           return grpc::Status::OK;
                         }});
  Client client = Connect(server);
  // 300 rows of 8 KiB: bands of 128, 128 and 44 rows, each row full of its number.
  const StreamedRows rows{
      .width = 65536, .height = 300, .read = [](std::uint64_t first, std::uint64_t count) {
        std::string bytes;
        for (std::uint64_t row = first; row < first + count; ++row)
          bytes += std::string(8192, static_cast<char>(row));
        return bytes;
      }};
  ASSERT_TRUE(client.boards().Create({.name = "a", .topology = "torus:65536x300", .source = rows}));
  ASSERT_THAT(uploads.rows, SizeIs(3));
  EXPECT_EQ(uploads.rows[0].size(), std::size_t{1} << 20);
  EXPECT_EQ(uploads.rows[2].size(), std::size_t{44} * 8192);
  EXPECT_EQ(uploads.rows[1][0], static_cast<char>(128));
  ASSERT_TRUE(client.boards().Write({.name = "a",
                                     .at = CellOffset{-3, 4},
                                     .source = rows,
                                     .mode = WriteMode::kXor,
                                     .if_generation = 0}));
  EXPECT_THAT(uploads.rows, SizeIs(6));
  EXPECT_THAT(uploads.headers,
              ElementsAre("name: \"a\" topology: \"torus:65536x300\" streamed: true",
                          "name: \"a\" at { x: -3 y: 4 } streamed { width: 65536 height: 300 } "
                          "mode: WRITE_MODE_XOR if_generation: 0"));
}

TEST(ClientBoards, ASourceThatFailsEndsTheCallWithItsReason) {
  std::atomic<bool> cancelled{false};
  FakeServer server({.create_board = [&](grpc::ServerContext& context, CreateReader& reader,
                                         v1::CreateBoardResponse&) {
    Uploads uploads;
    uploads.Take(reader);
    testing::AwaitCancel(context);
    cancelled = true;
    return grpc::Status::CANCELLED;
  }});
  Client client = Connect(server);
  const auto fails = [](std::uint64_t, std::uint64_t) -> Result<std::string> {
    return tl::unexpected(Error{.code = StatusCode::kDataLoss, .message = "the disk is gone"});
  };
  const auto made = client.boards().Create({.source = StreamedRows{8, 8, fails}});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message, "the disk is gone");
  const auto is_short = [](std::uint64_t, std::uint64_t) { return std::string("x"); };
  const auto refused = client.boards().Create({.source = StreamedRows{8, 8, is_short}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message, "the source of the rows gave 1 bytes, not 8");
  EXPECT_EQ(
      client.boards().Create({.source = StreamedRows{8, 8, {}}}).error().violations.at(0).field,
      "source.read");
}

TEST(ClientBoards, ARefusedUploadIsTheServersError) {
  FakeServer server(
      {.write_region = [](grpc::ServerContext&, WriteReader&, v1::WriteRegionResponse&) {
        return testing::BadFields("bad", {{"at", "outside"}});
      }});
  Client client = Connect(server);
  const StreamedRows rows{
      .width = 65536, .height = 65536, .read = [](std::uint64_t, std::uint64_t count) {
        return std::string(count * 8192, '\0');
      }};
  const auto written = client.boards().Write({.name = "a", .source = rows});
  ASSERT_FALSE(written);
  EXPECT_THAT(written.error().violations, ElementsAre(FieldViolation{"at", "outside"}));
}

TEST(ClientBoards, StepsWithProgressAndStops) {
  std::string seen;
  std::atomic<bool> cancelled{false};
  FakeServer server({.step_board = [&](grpc::ServerContext& context,
                                       const v1::StepBoardRequest& request, StepWriter& writer) {
    v1::StepBoardRequest without_id = request;
    EXPECT_THAT(request.request_id(), SizeIs(32));
    without_id.clear_request_id();
    seen = without_id.ShortDebugString();
    v1::StepBoardResponse progress;
    progress.mutable_facts()->set_generation(10);
    progress.set_elapsed_ms(1500);
    writer.Write(progress);
    if (request.name() == "endless") {
      testing::AwaitCancel(context);
      cancelled = true;
      return grpc::Status::CANCELLED;
    }
    progress.mutable_facts()->set_generation(20);
    progress.set_stop_reason(v1::STOP_REASON_TARGET);
    writer.Write(progress);
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  std::vector<std::uint64_t> generations;
  const auto end = client.boards().Step({.name = "a",
                                         .to_generation = 20,
                                         .if_generation = 0,
                                         .until = {Until::Condition::kPopulationAtLeast, 5},
                                         .max_duration = milliseconds(2500),
                                         .queue = true,
                                         .facts = {LifeFact::kChanges},
                                         .facts_every = 10},
                                        [&](const BoardProgress& progress) {
                                          generations.push_back(progress.facts.generation);
                                          return true;
                                        });
  ASSERT_TRUE(end) << end.error().message;
  EXPECT_THAT(generations, ElementsAre(10, 20));
  EXPECT_EQ(end->stop_reason, StopReason::kTarget);
  EXPECT_EQ(seen,
            "name: \"a\" to_generation: 20 if_generation: 0 until { population_at_least: 5 } "
            "max_duration_ms: 2500 queue: true facts: FACT_CHANGES facts_every: 10");
  const auto stopped = client.boards().Step({.name = "endless", .generations = 5},
                                            [](const BoardProgress&) { return false; });
  ASSERT_TRUE(stopped);
  EXPECT_EQ(stopped->elapsed, milliseconds(1500));
  while (!cancelled) std::this_thread::yield();
}

void WriteData(ReadWriter& writer, const std::string& data) {
  v1::ReadRegionResponse part;
  part.set_data(data);
  writer.Write(part);
}

struct Reading {
  std::string seen;
  std::uint64_t total = 4;
  FakeServer server{
      {.read_region = [this](grpc::ServerContext&, const v1::ReadRegionRequest& request,
                             ReadWriter& writer) {
        seen = request.ShortDebugString();
        v1::ReadRegionResponse part;
        part.mutable_header()->mutable_region()->set_width(9);
        part.mutable_header()->mutable_region()->set_height(2);
        part.mutable_header()->set_generation(7);
        part.mutable_header()->set_total_bytes(total);
        writer.Write(part);
        WriteData(writer, "ab");
        WriteData(writer, "cd");
        return grpc::Status::OK;
      }}};
};

TEST(ClientBoards, ReadsARegionWholeOrInPieces) {
  Reading reading;
  Client client = Connect(reading.server);
  const auto board = client.boards().ReadPacked("a", CellRegion{1, 2, 9, 2});
  ASSERT_TRUE(board) << board.error().message;
  EXPECT_EQ(board->rows, "abcd");
  EXPECT_EQ(board->width, 9u);
  EXPECT_EQ(reading.seen,
            "name: \"a\" region { x: 1 y: 2 width: 9 height: 2 } output_format: "
            "OUTPUT_FORMAT_PACKED");
  const auto stopped =
      client.boards().Read({.name = "a"}, [](const RegionHeader& header, const std::string& bytes) {
        EXPECT_EQ(header.generation, 7u);
        EXPECT_EQ(bytes, "ab");
        return false;
      });
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, StatusCode::kCancelled);
}

TEST(ClientBoards, CellsThatAreMissingAreAnError) {
  Reading reading;
  reading.total = 6;
  Client client = Connect(reading.server);
  const auto board = client.boards().ReadPacked("a");
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().message, "the cells ended after 4 of 6 bytes");
}

TEST(ClientBoards, WatchesUntilTheCallbackHasEnough) {
  FakeServer server({.watch_board = [](grpc::ServerContext&, const v1::WatchBoardRequest& request,
                                       WatchWriter& writer) {
    EXPECT_EQ(request.ShortDebugString(),
              "name: \"a\" frames_per_second: 5 density_cell: 4 after_generation: 3");
    for (int generation = 1;; ++generation) {
      v1::WatchBoardResponse frame;
      frame.mutable_facts()->set_generation(static_cast<std::uint64_t>(generation));
      frame.mutable_density()->set_columns(2);
      frame.mutable_density()->set_density("\x01\x02");
      if (!writer.Write(frame)) return grpc::Status::CANCELLED;
    }
  }});
  Client client = Connect(server);
  std::uint64_t last = 0;
  const auto watched = client.boards().Watch(
      {.name = "a", .frames_per_second = 5, .density_cell = 4, .after_generation = 3},
      [&](const BoardFrame& frame) {
        last = frame.facts.generation;
        EXPECT_EQ(std::get<DensityFrame>(frame.picture).density, "\x01\x02");
        return last < 3;
      });
  EXPECT_TRUE(watched);
  EXPECT_EQ(last, 3u);
}

TEST(ClientBoards, ListsReadAllPages) {
  FakeServer server({.list_boards =
                         [](grpc::ServerContext&, const v1::ListBoardsRequest& request,
                            v1::ListBoardsResponse& response) {
                           response.add_boards()->set_name(request.page_token().empty() ? "a"
                                                                                        : "b");
                           if (request.page_token().empty()) response.set_next_page_token("a");
                           return grpc::Status::OK;
                         },
                     .list_snapshots =
                         [](grpc::ServerContext&, const v1::ListSnapshotsRequest& request,
                            v1::ListSnapshotsResponse& response) {
                           v1::Snapshot& snapshot = *response.add_snapshots();
                           snapshot.set_cause(v1::SNAPSHOT_CAUSE_LEASE_EXPIRED);
                           snapshot.set_bytes(12);
                           if (request.page_token().empty()) response.set_next_page_token("x");
                           return grpc::Status::OK;
                         }});
  Client client = Connect(server);
  const auto boards = client.boards().List();
  ASSERT_TRUE(boards);
  ASSERT_THAT(*boards, SizeIs(2));
  EXPECT_EQ((*boards)[1].name, "b");
  const auto snapshots = client.boards().ListSnapshots();
  ASSERT_THAT(*snapshots, SizeIs(2));
  EXPECT_TRUE((*snapshots)[0].lease_expired);
}

TEST(ClientBoards, RequestIdsDiffer) { EXPECT_NE(NewRequestId(), NewRequestId()); }

// Sent again, a changing call has the id of the first time, by which the server knows it.
TEST(ClientBoards, ARepeatHasTheSameRequestId) {
  std::vector<std::string> ids;
  FakeServer server(
      {.delete_board = [&](grpc::ServerContext&, const v1::DeleteBoardRequest& request,
                           v1::DeleteBoardResponse&) {
        ids.push_back(request.request_id());
        return ids.size() < 3 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "draining")
                              : grpc::Status::OK;
      }});
  Client client = Connect(server);
  EXPECT_TRUE(client.boards().Delete("a"));
  ASSERT_THAT(ids, SizeIs(3));
  EXPECT_THAT(ids, ElementsAre(ids[0], ids[0], ids[0]));
}

// The own server says whose the board is; the owner answers, streams as well as single calls.
TEST(ClientBoards, FollowsABoardToItsOwner) {
  std::atomic<int> asked{0};
  Uploads uploads;
  FakeServer owner({.get_board =
                        [](grpc::ServerContext&, const v1::GetBoardRequest& request,
                           v1::GetBoardResponse& response) {
                          response.mutable_board()->set_name(request.name());
                          return grpc::Status::OK;
                        },
                    .step_board =
                        [](grpc::ServerContext&, const v1::StepBoardRequest&, StepWriter& writer) {
                          v1::StepBoardResponse progress;
                          progress.set_stop_reason(v1::STOP_REASON_TARGET);
                          writer.Write(progress);
                          return grpc::Status::OK;
                        },
                    .write_region =
                        [&](grpc::ServerContext&, WriteReader& reader, v1::WriteRegionResponse&) {
                          uploads.Take(reader);
                          return grpc::Status::OK;
                        }});
  const auto elsewhere = [&] {
    ++asked;
    return testing::BoardElsewhere(owner.address());
  };
  FakeServer own({.get_board = [&](grpc::ServerContext&, const v1::GetBoardRequest&,
                                   v1::GetBoardResponse&) { return elsewhere(); },
                  .step_board = [&](grpc::ServerContext&, const v1::StepBoardRequest&,
                                    StepWriter&) { return elsewhere(); },
                  .write_region = [&](grpc::ServerContext&, WriteReader&,
                                      v1::WriteRegionResponse&) { return elsewhere(); }});
  Client client = Connect(own);
  EXPECT_EQ(client.boards().Get("other/a")->board.name, "other/a");
  EXPECT_EQ(client.boards().Step({.name = "other/a", .generations = 1})->stop_reason,
            StopReason::kTarget);
  const auto rows = [](std::uint64_t, std::uint64_t count) { return std::string(count, '\1'); };
  EXPECT_TRUE(client.boards().Write({.name = "other/a", .source = StreamedRows{8, 3, rows}}));
  EXPECT_THAT(uploads.rows, ElementsAre("\1\1\1"));
  EXPECT_EQ(asked, 3);
}

// A server that names itself, and one that names what is no address: the error is the end.
TEST(ClientBoards, FollowsOnceOnly) {
  std::string address;
  std::atomic<int> asked{0};
  FakeServer server(
      {.get_board = [&](grpc::ServerContext&, const v1::GetBoardRequest&, v1::GetBoardResponse&) {
        ++asked;
        return testing::BoardElsewhere(address);
      }});
  Client client = Connect(server);
  address = server.address();
  const auto board = client.boards().Get("other/a");
  ASSERT_FALSE(board);
  EXPECT_EQ(board.error().code, StatusCode::kFailedPrecondition);
  EXPECT_EQ(board.error().owner_address, address);
  EXPECT_EQ(asked, 2);
  address = "no address";
  EXPECT_FALSE(client.boards().Get("other/a"));
  EXPECT_EQ(asked, 3);
}

TEST(ClientBoards, NamesThatAreNotUtf8AreNotSent) {
  FakeServer server(FakeHandlers{});
  Client client = Connect(server);
  EXPECT_EQ(client.boards().Get("\xff").error().violations.at(0).field, "name");
  EXPECT_EQ(client.boards().Create({.name = "\xff"}).error().violations.at(0).field, "name");
  EXPECT_EQ(client.boards().Step({.name = "\xff"}).error().violations.at(0).field, "name");
}

}  // namespace
}  // namespace gpusim
