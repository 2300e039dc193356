// CreateBoard and WriteRegion: sources, bands, placement, and that a fault leaves nothing behind.
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

v1::CreateBoardHeader Streamed(const std::string& name, const std::string& topology) {
  v1::CreateBoardHeader header = Header(name, topology);
  header.set_streamed(true);
  return header;
}

v1::WriteRegionHeader WriteHeader(const std::string& name) {
  v1::WriteRegionHeader header;
  header.set_name(name);
  return header;
}

// Pieces of so many rows.
std::vector<std::string> Bands(const life::Board& board, std::size_t rows) {
  const std::string all = RowsOf(board);
  const std::size_t bytes = rows * ((board.width + 7) / 8);
  std::vector<std::string> bands;
  for (std::size_t at = 0; at < all.size(); at += bytes) bands.push_back(all.substr(at, bytes));
  return bands;
}

class BoardUploadTest : public ::testing::Test {
 protected:
  // The one fault.
  std::string CreateFault(const v1::CreateBoardHeader& header,
                          const std::vector<std::string>& bands = {}) {
    const auto faults = ViolationsOf(boards_.TryCreate(header, bands));
    EXPECT_EQ(faults.size(), 1u);
    EXPECT_EQ(boards_.TryGet(header.name()).error_code(), StatusCode::NOT_FOUND);
    return faults.empty() ? "" : faults.front();
  }
  std::string WriteFault(const v1::WriteRegionHeader& header,
                         const std::vector<std::string>& bands = {}) {
    const std::string hash = boards_.Hash(header.name());
    const auto faults = ViolationsOf(boards_.TryWrite(header, bands));
    EXPECT_EQ(faults.size(), 1u);
    EXPECT_EQ(boards_.Hash(header.name()), hash);
    return faults.empty() ? "" : faults.front();
  }

  std::mt19937_64 random_{7};
  InProcessServer server_;
  BoardClient boards_{server_.life()};
};

TEST_F(BoardUploadTest, EverySourceMakesItsCells) {
  const life::Board cells = RandomBoard(70, 33, 0.5, random_);
  v1::CreateBoardHeader packed = Header("packed", "");
  *packed.mutable_packed() = PackedOf(cells);
  EXPECT_EQ(boards_.Create(packed).topology(), "torus:70x33");
  EXPECT_EQ(boards_.Hash("packed"), HexHash(cells));

  boards_.Create(Streamed("streamed", "plane:70x33"), Bands(cells, 5));
  EXPECT_EQ(boards_.Hash("streamed"), HexHash(cells));
  EXPECT_EQ(boards_.Read("streamed").data, RowsOf(cells));

  boards_.Create(Header("empty", "torus:70x33"));
  EXPECT_EQ(boards_.Get("empty").facts().population(), 0u);

  v1::CreateBoardHeader pattern = Header("pattern", "");
  pattern.set_pattern("#CXRLE Pos=-2,-2 Gen=5\nx = 3, y = 1, rule = B36/S23:T4,5\n3o!");
  EXPECT_EQ(boards_.Create(pattern).generation(), 5u);
  EXPECT_EQ(boards_.Get("pattern").board().topology(), "torus:4x5");
  EXPECT_EQ(boards_.Read("pattern").data, std::string("\x07\0\0\0\0", 5));

  // The same cells as a stateless Step makes.
  boards_.Create(RandomHeader("random", "torus:97x31", 3));
  v1::StepRequest step;
  step.mutable_random()->set_density(0.375);
  step.mutable_random()->set_seed(3);
  step.set_topology("torus:97x31");
  step.set_output_format(v1::OUTPUT_FORMAT_PACKED);
  grpc::ClientContext context;
  v1::StepResponse stepped;
  ASSERT_TRUE(server_.life().Step(&context, step, &stepped).ok());
  EXPECT_EQ(boards_.Read("random").data, stepped.packed().rows());
}

TEST_F(BoardUploadTest, APackedBoardIsPlacedOnALargerOne) {
  const life::Board cells = RandomBoard(70, 3, 0.5, random_);
  v1::CreateBoardHeader header = Header("a", "torus:100x10");
  *header.mutable_packed() = PackedOf(cells);
  header.mutable_at()->set_x(-20);
  header.mutable_at()->set_y(9);
  boards_.Create(header);
  life::Board expected = life::Board::Empty(100, 10);
  for (std::uint32_t y = 0; y < 3; ++y) {
    for (std::uint32_t x = 0; x < 70; ++x)
      if (cells.Alive(x, y)) expected.Set((x + 80) % 100, (y + 9) % 10, true);
  }
  EXPECT_EQ(boards_.Hash("a"), HexHash(expected));
}

TEST_F(BoardUploadTest, FaultsOfAHeaderNameFieldValueAndRule) {
  EXPECT_THAT(CreateFault(Header("a", "")), HasSubstr("topology: ''"));
  EXPECT_THAT(CreateFault(Header("a", "plane:auto")), HasSubstr("Step takes plane:auto"));
  EXPECT_THAT(CreateFault(Header("a", "klein:5x5")), HasSubstr("topology"));
  v1::CreateBoardHeader header = Header("a", "torus:8x8");
  header.set_rule("B9/S");
  EXPECT_THAT(CreateFault(header), HasSubstr("rule"));
  header.set_rule("");
  header.set_pattern("x = 9, y = 1\n9o!");
  EXPECT_THAT(CreateFault(header), HasSubstr("pattern: '9x1'"));
  header.mutable_random()->set_density(1.5);
  EXPECT_THAT(CreateFault(header), HasSubstr("random.density: '1.5"));
  header.set_streamed(false);
  EXPECT_THAT(CreateFault(header), HasSubstr("streamed: 'false'"));
  *header.mutable_packed() = PackedOf(life::Board::Empty(8, 8));
  header.mutable_packed()->mutable_rows()->pop_back();
  EXPECT_THAT(CreateFault(header), HasSubstr("packed.rows: '7 bytes'"));
  v1::CreateBoardHeader both = Header("a", "x");
  both.set_rule("x");
  EXPECT_EQ(ViolationsOf(boards_.TryCreate(both)).size(), 2u);
  EXPECT_THAT(CreateFault(Streamed("a", "torus:8388609x1")), HasSubstr("topology: '8388609'"));
}

TEST_F(BoardUploadTest, BandsThatDoNotAddUpAreRefused) {
  const std::string row("\xff\x0f", 2);  // of 12 cells
  const v1::CreateBoardHeader header = Streamed("a", "torus:12x3");
  EXPECT_THAT(CreateFault(header, {row, row}), HasSubstr("rows: '2 rows'"));
  EXPECT_THAT(CreateFault(header), HasSubstr("rows: '0 rows'"));
  EXPECT_THAT(CreateFault(header, {row + row, row + row}), HasSubstr("rows: 'row 4'"));
  EXPECT_THAT(CreateFault(header, {row + "\xff"}), HasSubstr("rows: '3 bytes'"));
  EXPECT_THAT(CreateFault(header, {row, std::string("\xff\x1f", 2), row}),
              HasSubstr("rows: 'row 1'"));
  EXPECT_THAT(CreateFault(Streamed("a", "torus:8x2000000"), {std::string(kBand + 1, '\0')}),
              HasSubstr("at most 1048576 bytes"));
  EXPECT_THAT(CreateFault(Header("a", "torus:12x3"), {row}), HasSubstr("rows: '2 bytes'"));
  // The name and the memory are free again.
  boards_.Create(header, {row, row + row});
}

TEST_F(BoardUploadTest, PartsComeInOrder) {
  v1::CreateBoardResponse response;
  {
    grpc::ClientContext context;
    const auto writer = server_.life().CreateBoard(&context, &response);
    v1::CreateBoardRequest request;
    request.set_rows("x");
    writer->Write(request);
    writer->WritesDone();
    EXPECT_THAT(ViolationsOf(writer->Finish()),
                ElementsAre(HasSubstr("the first message is the header")));
  }
  {
    grpc::ClientContext context;
    const auto writer = server_.life().CreateBoard(&context, &response);
    writer->WritesDone();
    EXPECT_THAT(ViolationsOf(writer->Finish()),
                ElementsAre(HasSubstr("the first message is the header")));
  }
  {
    grpc::ClientContext context;
    const auto writer = server_.life().CreateBoard(&context, &response);
    v1::CreateBoardRequest request;
    *request.mutable_header() = Streamed("a", "torus:8x8");
    writer->Write(request);
    writer->Write(request);
    writer->WritesDone();
    EXPECT_THAT(ViolationsOf(writer->Finish()),
                ElementsAre(HasSubstr("the first message alone is the header")));
  }
}

TEST_F(BoardUploadTest, AnUploadThatIsCutLeavesNothing) {
  {
    grpc::ClientContext context;
    v1::CreateBoardResponse response;
    const auto writer = server_.life().CreateBoard(&context, &response);
    v1::CreateBoardRequest request;
    *request.mutable_header() = Streamed("a", "torus:8x8");
    writer->Write(request);
    request.set_rows("x");
    writer->Write(request);
    context.TryCancel();
    EXPECT_EQ(writer->Finish().error_code(), StatusCode::CANCELLED);
  }
  EXPECT_EQ(boards_.TryGet("a").error_code(), StatusCode::NOT_FOUND);
  // Its name is free as soon as the server has seen that.
  while (boards_.TryCreate(Header("a", "torus:8x8")).error_code() == StatusCode::ALREADY_EXISTS) {
  }
  boards_.Get("a");
}

TEST_F(BoardUploadTest, ARepeatedUploadIsComparedWithItsRows) {
  const life::Board cells = RandomBoard(64, 64, 0.5, random_);
  v1::CreateBoardHeader header = Streamed("a", "torus:64x64");
  header.set_request_id("up");
  const v1::Board board = boards_.Create(header, Bands(cells, 10));
  EXPECT_EQ(boards_.Create(header, Bands(cells, 7)).created_unix_ms(), board.created_unix_ms());
  std::vector<std::string> others = Bands(cells, 10);
  others.back().back() = static_cast<char>(~others.back().back());
  EXPECT_THAT(ViolationsOf(boards_.TryCreate(header, others)),
              ElementsAre(HasSubstr("request_id: 'up'")));
}

TEST_F(BoardUploadTest, StampsInEveryModeAndFromEverySource) {
  const life::Board below = RandomBoard(70, 20, 0.5, random_);
  const life::Board stamp = RandomBoard(33, 5, 0.5, random_);
  const auto stamped = [&](v1::WriteMode mode) {
    life::Board expected = below;
    for (std::uint32_t y = 0; y < 5; ++y) {
      for (std::uint32_t x = 0; x < 33; ++x) {
        const std::uint32_t bx = (x + 60) % 70;
        const std::uint32_t by = (y + 18) % 20;
        const bool old = below.Alive(bx, by);
        const bool cell = stamp.Alive(x, y);
        expected.Set(bx, by,
                     mode == v1::WRITE_MODE_COPY ? cell
                     : mode == v1::WRITE_MODE_OR ? old || cell
                                                 : old != cell);
      }
    }
    return HexHash(expected);
  };
  v1::CreateBoardHeader create = Header("a", "");
  *create.mutable_packed() = PackedOf(below);
  for (const v1::WriteMode mode : {v1::WRITE_MODE_OR, v1::WRITE_MODE_COPY, v1::WRITE_MODE_XOR}) {
    for (const bool streamed : {false, true}) {
      boards_.Create(create);
      v1::WriteRegionHeader header = WriteHeader("a");
      header.mutable_at()->set_x(-10);
      header.mutable_at()->set_y(38);
      header.set_mode(mode);
      if (streamed) {
        header.mutable_streamed()->set_width(33);
        header.mutable_streamed()->set_height(5);
        boards_.Write(header, Bands(stamp, 2));
      } else {
        *header.mutable_packed() = PackedOf(stamp);
        boards_.Write(header);
      }
      EXPECT_EQ(boards_.Hash("a"), stamped(mode)) << mode << streamed;
      boards_.Delete("a");
    }
  }
}

TEST_F(BoardUploadTest, PatternsAreOredClearClearsAndRandomFills) {
  boards_.Create(Header("a", "plane:64x64"));
  v1::WriteRegionHeader header = WriteHeader("a");
  header.set_pattern("x = 3, y = 3, rule = B36/S23\nbo$2bo$3o!");
  EXPECT_THAT(boards_.Write(header).notes(),
              ElementsAre("rule B3/S23 of the board stays, the file says B36/S23"));
  EXPECT_EQ(boards_.Get("a").facts().population(), 5u);
  header.mutable_at()->set_x(0);
  header.mutable_at()->set_y(0);
  boards_.Write(header);
  EXPECT_EQ(boards_.Get("a").facts().population(), 10u);
  header.set_clear(true);
  boards_.Write(header);
  EXPECT_EQ(boards_.Get("a").facts().population(), 0u);
  header.mutable_random()->set_density(1);
  boards_.Write(header);
  EXPECT_EQ(boards_.Get("a").facts().population(), 64u * 64);
  // A pattern without cells changes nothing.
  header.set_pattern("x = 3, y = 3\n!");
  boards_.Write(header);
  EXPECT_EQ(boards_.Get("a").facts().population(), 64u * 64);
}

TEST_F(BoardUploadTest, FaultsOfAWriteLeaveTheBoardAsItWas) {
  boards_.Create(RandomHeader("a", "plane:64x64", 1));
  EXPECT_THAT(WriteFault(WriteHeader("a")), HasSubstr("source: ''"));
  v1::WriteRegionHeader header = WriteHeader("a");
  header.set_pattern(kGliderRle);
  header.mutable_at()->set_x(62);
  EXPECT_THAT(WriteFault(header), HasSubstr("at: '62,0'"));
  header.mutable_at()->set_x(0);
  header.set_mode(static_cast<v1::WriteMode>(9));
  EXPECT_THAT(WriteFault(header), HasSubstr("mode: '9'"));
  header.set_mode(v1::WRITE_MODE_COPY);
  header.mutable_streamed()->set_width(65);
  header.mutable_streamed()->set_height(1);
  EXPECT_THAT(WriteFault(header), HasSubstr("streamed: '65x1'"));
  header.mutable_streamed()->set_width(0);
  EXPECT_THAT(WriteFault(header), HasSubstr("streamed.width: '0'"));
  header.mutable_streamed()->set_width(8);
  header.mutable_streamed()->set_height(3);
  EXPECT_THAT(WriteFault(header, {"\xff\xff"}), HasSubstr("rows: '2 rows'"));
  EXPECT_THAT(WriteFault(header, {"\xff\xff\xff\xff"}), HasSubstr("rows: 'row 4'"));
  header.set_if_generation(5);
  header.set_clear(true);
  const grpc::Status status = boards_.TryWrite(header);
  EXPECT_EQ(status.error_code(), StatusCode::ABORTED);
  EXPECT_EQ(boards_.TryWrite(WriteHeader("nobody")).error_code(), StatusCode::INVALID_ARGUMENT);
  header.set_name("nobody");
  EXPECT_EQ(boards_.TryWrite(header).error_code(), StatusCode::NOT_FOUND);
}

}  // namespace
}  // namespace gpusim::testing
