// ReadRegion: rows cropped at any offset, files that can be read back, and what is refused.
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kernels/formats/placement.h"
#include "kernels/formats/read_pattern.h"
#include "tests/integration/board_client.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/life_cases.h"

namespace gpusim::testing {
namespace {

using grpc::StatusCode;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

life::Board CutOut(const life::Board& board, const v1::Region& region) {
  life::Board cut = life::Board::Empty(region.width(), region.height());
  for (std::uint32_t y = 0; y < region.height(); ++y) {
    for (std::uint32_t x = 0; x < region.width(); ++x)
      if (board.Alive(region.x() + x, region.y() + y)) cut.Set(x, y, true);
  }
  return cut;
}

class BoardReadTest : public ::testing::Test {
 protected:
  life::Board Make(const std::string& name, std::uint32_t width, std::uint32_t height) {
    const life::Board board = RandomBoard(width, height, 0.5, random_);
    v1::CreateBoardHeader header = Header(name, "");
    *header.mutable_packed() = PackedOf(board);
    boards_.Create(header);
    return board;
  }
  static v1::ReadRegionRequest Request(const std::string& name, std::uint32_t x, std::uint32_t y,
                                       std::uint32_t width, std::uint32_t height) {
    v1::ReadRegionRequest request;
    request.set_name(name);
    request.mutable_region()->set_x(x);
    request.mutable_region()->set_y(y);
    request.mutable_region()->set_width(width);
    request.mutable_region()->set_height(height);
    return request;
  }

  std::mt19937_64 random_{9};
  InProcessServer server_;
  BoardClient boards_{server_.life()};
};

TEST_F(BoardReadTest, RegionsAtEveryOffset) {
  const life::Board board = Make("a", 200, 20);
  for (int i = 0; i < 200; ++i) {
    const auto x = static_cast<std::uint32_t>(random_() % 200);
    const auto y = static_cast<std::uint32_t>(random_() % 20);
    const auto request = Request("a", x, y, 1 + static_cast<std::uint32_t>(random_() % (200 - x)),
                                 1 + static_cast<std::uint32_t>(random_() % (20 - y)));
    const ReadCells cells = boards_.Read(request);
    EXPECT_EQ(cells.data, RowsOf(CutOut(board, request.region()))) << request.ShortDebugString();
    EXPECT_EQ(cells.header.region().ShortDebugString(), request.region().ShortDebugString());
  }
}

TEST_F(BoardReadTest, FilesAreReadBack) {
  const life::Board board = Make("a", 150, 40);
  for (const v1::OutputFormat format : {v1::OUTPUT_FORMAT_RLE, v1::OUTPUT_FORMAT_CELLS,
                                        v1::OUTPUT_FORMAT_LIFE105, v1::OUTPUT_FORMAT_LIFE106}) {
    for (const bool whole : {true, false}) {
      v1::ReadRegionRequest request = Request("a", 33, 7, 100, 30);
      if (whole) request = Request("a", 0, 0, 150, 40);
      request.set_output_format(format);
      const ReadCells cells = boards_.Read(request);
      const auto pattern = formats::ReadPattern(cells.data);
      ASSERT_TRUE(pattern.has_value()) << pattern.error().Message();
      life::Board read = life::Board::Empty(request.region().width(), request.region().height());
      formats::Cell corner{0, 0};
      // These files name cells as the board does.
      if (pattern->HasOwnCoordinates())
        corner = {pattern->box.x - request.region().x(), pattern->box.y - request.region().y()};
      ASSERT_TRUE(formats::Place(*pattern, life::Topology::kPlane, corner, "file", read))
          << format << whole;
      EXPECT_EQ(read, CutOut(board, request.region())) << format << whole;
    }
  }
}

TEST_F(BoardReadTest, AnRleOfTheWholeBoardMakesTheSameBoard) {
  const life::Board board = Make("a", 90, 40);
  boards_.Step(StepRequestOf("a", 2));
  v1::ReadRegionRequest request;
  request.set_name("a");
  request.set_output_format(v1::OUTPUT_FORMAT_RLE);
  v1::CreateBoardHeader header = Header("b", "");
  header.set_pattern(boards_.Read(request).data);
  const v1::Board made = boards_.Create(header);
  EXPECT_EQ(made.topology(), "torus:90x40");
  EXPECT_EQ(made.generation(), 2u);
  EXPECT_EQ(boards_.Hash("b"), boards_.Hash("a"));
}

TEST_F(BoardReadTest, MessagesAreWholeRowsOfAtMostAMebibyte) {
  boards_.Create(RandomHeader("a", "torus:5000x5000", 4));
  const ReadCells cells = boards_.Read("a");
  EXPECT_EQ(cells.data.size(), 625u * 5000);
  EXPECT_LE(cells.largest, kBand);
  EXPECT_EQ(cells.largest % 625, 0u);
}

TEST_F(BoardReadTest, WhatIsRefused) {
  Make("a", 100, 50);
  ReadCells cells;
  EXPECT_THAT(ViolationsOf(boards_.TryRead(Request("a", 90, 0, 11, 1), cells)),
              ElementsAre(HasSubstr("region: '90,0,11,1'")));
  EXPECT_THAT(ViolationsOf(boards_.TryRead(Request("a", 0, 0, 0, 1), cells)),
              ElementsAre(HasSubstr("region: '0,0,0,1'")));
  EXPECT_THAT(ViolationsOf(boards_.TryRead(Request("a", 4294967295, 0, 2, 1), cells)),
              ElementsAre(HasSubstr("within the board of 100x50")));
  v1::ReadRegionRequest request = Request("a", 0, 0, 1, 1);
  request.set_output_format(static_cast<v1::OutputFormat>(17));
  EXPECT_THAT(ViolationsOf(boards_.TryRead(request, cells)),
              ElementsAre(HasSubstr("output_format: '17'")));
  EXPECT_EQ(boards_.TryRead(Request("nobody", 0, 0, 1, 1), cells).error_code(),
            StatusCode::NOT_FOUND);

  boards_.Create(Header("wide", "torus:16777216x32"));
  EXPECT_THAT(ViolationsOf(boards_.TryRead(Request("wide", 0, 0, 16777216, 1), cells)),
              ElementsAre(HasSubstr("region.width: '16777216'")));
  request = Request("wide", 0, 0, 16777216, 32);
  for (const auto format :
       {v1::OUTPUT_FORMAT_CELLS, v1::OUTPUT_FORMAT_RLE, v1::OUTPUT_FORMAT_LIFE106}) {
    request.set_output_format(format);
    EXPECT_THAT(ViolationsOf(boards_.TryRead(request, cells)),
                ElementsAre(HasSubstr("ask for OUTPUT_FORMAT_PACKED")));
  }
}

TEST_F(BoardReadTest, ASlowReaderSeesOneGenerationWhileTheBoardRunsOn) {
  v1::CreateBoardHeader header = RandomHeader("a", "torus:8192x8192", 1);
  boards_.Create(header);
  const std::string before = boards_.Read("a").data;
  v1::ReadRegionRequest request;
  request.set_name("a");
  grpc::ClientContext context;
  const auto reader = server_.life().ReadRegion(&context, request);
  v1::ReadRegionResponse response;
  ASSERT_TRUE(reader->Read(&response));
  EXPECT_EQ(response.header().generation(), 0u);
  boards_.Step(StepRequestOf("a", 3));
  EXPECT_EQ(boards_.Get("a").board().generation(), 3u);
  std::string data;
  while (reader->Read(&response)) data += response.data();
  EXPECT_TRUE(reader->Finish().ok());
  EXPECT_EQ(data, before);
}

}  // namespace
}  // namespace gpusim::testing
