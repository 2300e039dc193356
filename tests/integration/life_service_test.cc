// LifeService through a running server: the truths, formats, topologies, limits and notes.
#include <cstdint>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/integration/life_request.h"

namespace gpusim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(LifeServiceTest, TruthsFromPackedBoards) {
  InProcessServer server;
  for (const LifeTruth& truth : LoadLifeTruths()) {
    for (const LifeTruth::At& at : truth.generations) {
      v1::StepRequest request;
      *request.mutable_packed() = Packed(truth.start);
      request.set_rule(truth.rule);
      request.set_generations(at.generation);
      request.set_output_format(v1::OUTPUT_FORMAT_PACKED);
      const v1::StepResponse response = StepWell(server, request);
      EXPECT_EQ(response.population(), at.population) << truth.name << " " << at.generation;
      EXPECT_EQ(response.hash(), at.hash) << truth.name << " " << at.generation;
      EXPECT_EQ(response.generation(), at.generation);
      EXPECT_EQ(response.rule(), truth.rule);
      EXPECT_EQ(response.width(), truth.start.width);
      EXPECT_EQ(response.packed().rows().size(),
                (truth.start.width + 7) / 8 * std::size_t{truth.start.height});
      EXPECT_EQ(response.provenance().backend(), server.info().backend());
    }
  }
}

// Known populations on the open plane.
TEST(LifeServiceTest, OpenPlane) {
  InProcessServer server;
  const auto population = [&](const char* body, std::uint64_t generations, const char* rule) {
    v1::StepRequest request = PatternRequest(body, "plane:auto", generations);
    request.set_rule(rule);
    return StepWell(server, request).population();
  };
  EXPECT_EQ(population("6bo$2o$bo3b3o!", 129, "B3/S23"), 2u);
  EXPECT_EQ(population("6bo$2o$bo3b3o!", 130, "B3/S23"), 0u);
  EXPECT_EQ(population("b2o$2o$bo!", 1102, "B3/S23"), 118u);
  EXPECT_EQ(population("2b3o$bo2bo$o3bo$o2bo$3o!", 24, "B36/S23"), 24u);
  EXPECT_EQ(population("o!", 8, "B1357/S1357"), 8u);

  const v1::StepResponse box = StepWell(server, PatternRequest("b2o$2o$bo!", "plane:auto", 1103));
  EXPECT_EQ(box.population(), 116u);
  EXPECT_EQ(box.width(), 501u);
  EXPECT_EQ(box.height(), 525u);
}

// A file written by one call and read by the next lost its place: it kept its count of generations,
// but went back to 0,0 each time.
TEST(LifeServiceTest, AFileKeepsItsPlaceOnTheOpenPlane) {
  InProcessServer server;
  std::string file = "#CXRLE Pos=10,-3 Gen=2\nx = 3, y = 3, rule = B3/S23\nbo$2bo$3o!\n";
  for (int i = 0; i < 3; ++i) {
    v1::StepRequest request = PatternRequest(file, "plane:auto", 4);
    request.set_output_format(v1::OUTPUT_FORMAT_RLE);
    file = StepWell(server, request).file();
  }
  EXPECT_THAT(file, HasSubstr("Pos=13,0"));
  EXPECT_THAT(file, HasSubstr("Gen=14"));
}

TEST(LifeServiceTest, OpenPlaneIsTrimmedWithItsOrigin) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest(kGlider, "", 40);
  request.set_output_format(v1::OUTPUT_FORMAT_CELLS);
  const v1::StepResponse response = StepWell(server, request);
  EXPECT_EQ(response.topology(), "plane:auto");
  EXPECT_EQ(response.width(), 3u);
  EXPECT_EQ(response.height(), 3u);
  EXPECT_EQ(response.origin().x(), 10);
  EXPECT_EQ(response.origin().y(), 10);
  EXPECT_EQ(response.file(), ".O.\n..O\nOOO\n");

  request = PatternRequest("#Life 1.06\n-5 7\n-4 7\n-3 7\n", "plane:auto", 2);
  request.set_output_format(v1::OUTPUT_FORMAT_LIFE106);
  EXPECT_EQ(StepWell(server, request).file(), "#Life 1.06\n-5 7\n-4 7\n-3 7\n");
}

TEST(LifeServiceTest, AllDeadOnTheOpenPlane) {
  InProcessServer server;
  for (const auto format : {v1::OUTPUT_FORMAT_PACKED, v1::OUTPUT_FORMAT_RLE,
                            v1::OUTPUT_FORMAT_CELLS, v1::OUTPUT_FORMAT_LIFE106}) {
    v1::StepRequest request = PatternRequest("o!", "plane:auto", 1);
    request.set_output_format(format);
    const v1::StepResponse response = StepWell(server, request);
    EXPECT_EQ(response.population(), 0u);
    EXPECT_EQ(response.width(), 0u);
    EXPECT_EQ(response.height(), 0u);
    EXPECT_EQ(response.hash(), "cbf29ce484222325");
  }
  // However long nothing is stepped, it takes no time.
  const v1::StepResponse nothing = StepWell(
      server, PatternRequest("3b!", "plane:auto", std::numeric_limits<std::uint64_t>::max()));
  EXPECT_EQ(nothing.generation(), std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(nothing.population(), 0u);
}

TEST(LifeServiceTest, PlacesOnATorus) {
  InProcessServer server;
  v1::StepRequest request = PatternRequest(kGlider, "torus:64x64", 256);
  request.mutable_at()->set_x(62);
  request.mutable_at()->set_y(-2);
  const v1::StepResponse wrapped = StepWell(server, request);
  EXPECT_EQ(wrapped.hash(), "51d0362745189885");  // that of the truths' glider at 62,62

  request = PatternRequest("3o!", "torus:8x8", 0);
  request.set_output_format(v1::OUTPUT_FORMAT_CELLS);
  EXPECT_THAT(StepWell(server, request).file(),
              HasSubstr("........\n........\n........\n..OOO...\n"));
  request.set_pattern("#CXRLE Pos=-4,-3 Gen=5\nx = 3, y = 1, rule = B3/S23:T8,8\n3o!");
  request.set_topology("");
  const v1::StepResponse at_position = StepWell(server, request);
  EXPECT_THAT(at_position.file(), ::testing::StartsWith("........\nOOO.....\n"));
  EXPECT_EQ(at_position.generation(), 5u);
  EXPECT_EQ(at_position.topology(), "torus:8x8");
}

TEST(LifeServiceTest, PackedBoardsOnOtherGrids) {
  InProcessServer server;
  std::mt19937_64 random(7);
  const life::Board board = RandomBoard(70, 9, 0.4, random);
  v1::StepRequest request;
  *request.mutable_packed() = Packed(board);
  request.set_topology("plane:200x50");
  request.mutable_at()->set_x(101);
  request.mutable_at()->set_y(30);
  request.set_output_format(v1::OUTPUT_FORMAT_PACKED);
  life::Board expected = life::Board::Empty(200, 50);
  for (std::uint32_t y = 0; y < board.height; ++y) {
    for (std::uint32_t x = 0; x < board.width; ++x)
      expected.Set(x + 101, y + 30, board.Alive(x, y));
  }
  EXPECT_EQ(StepWell(server, request).packed().rows(), Packed(expected).rows());

  request.mutable_at()->set_x(131);
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("at: ")));

  // The live box of the board is the same on the open plane, whatever it is padded with.
  request.clear_at();
  request.set_topology("plane:auto");
  const v1::StepResponse response = StepWell(server, request);
  EXPECT_EQ(response.population(), life::Population(board));
}

TEST(LifeServiceTest, ExplicitBeatsTheFileWithANote) {
  InProcessServer server;
  v1::StepRequest request =
      PatternRequest("x = 3, y = 3, rule = B3/S23:T20,20\nbo$2bo$3o!", "plane:30x30", 1);
  request.set_rule("b36s23");
  const v1::StepResponse response = StepWell(server, request);
  EXPECT_EQ(response.rule(), "B36/S23");
  EXPECT_EQ(response.topology(), "plane:30x30");
  EXPECT_THAT(response.notes(),
              ElementsAre("rule B36/S23 of the request used, the file says B3/S23",
                          "topology plane:30x30 of the request used, the file says torus:20x20"));
  request.set_rule("B3/S23");
  request.set_topology("torus:20x20");
  EXPECT_THAT(StepWell(server, request).notes(), IsEmpty());
}

TEST(LifeServiceTest, WrittenFilesReadBackTheSame) {
  InProcessServer server;
  for (const auto format :
       {v1::OUTPUT_FORMAT_RLE, v1::OUTPUT_FORMAT_CELLS, v1::OUTPUT_FORMAT_PACKED}) {
    v1::StepRequest request = PatternRequest("b2o$2o$bo!", "torus:90x77", 200);
    request.set_output_format(format);
    const v1::StepResponse first = StepWell(server, request);
    v1::StepRequest again;
    again.set_topology("torus:90x77");
    again.set_generations(100);
    if (format == v1::OUTPUT_FORMAT_PACKED) {
      *again.mutable_packed() = first.packed();
    } else {
      again.set_pattern(first.file());
    }
    request.set_generations(300);
    EXPECT_EQ(StepWell(server, again).hash(), StepWell(server, request).hash());
    if (format == v1::OUTPUT_FORMAT_RLE) {
      EXPECT_EQ(StepWell(server, again).generation(), 300u) << "RLE carries the generation";
    }
  }
}

TEST(LifeServiceTest, BadRequestsNameFieldValueAndRule) {
  InProcessServer server;
  v1::StepRequest request;
  request.set_rule("B3/S29");
  request.set_topology("klein:8x8");
  request.set_output_format(static_cast<v1::OutputFormat>(50));
  EXPECT_THAT(StepBadly(server, request),
              ElementsAre(HasSubstr("source: "), HasSubstr("rule: '9'"), HasSubstr("topology: "),
                          HasSubstr("output_format: '50'")));

  EXPECT_THAT(StepBadly(server, PatternRequest("bo$2bo$\n3x%!", "", 1)),
              ElementsAre(HasSubstr("line 2, column")));
  EXPECT_THAT(StepBadly(server, PatternRequest("9o!", "torus:8x8", 1)),
              ElementsAre(HasSubstr("pattern: '9x1'")));

  v1::StepRequest b0 = PatternRequest(kGlider, "plane:auto", 1);
  b0.set_rule("B03/S23");
  EXPECT_THAT(StepBadly(server, b0),
              ElementsAre(HasSubstr("topology: 'plane:auto': a rule with B0")));
  b0.set_topology("torus:8x8");
  EXPECT_EQ(StepWell(server, b0).rule(), "B03/S23");

  v1::StepRequest overflow = PatternRequest("#CXRLE Gen=10\nbo$2bo$3o!", "torus:8x8", 0);
  overflow.set_generations(std::numeric_limits<std::uint64_t>::max() - 9);
  EXPECT_THAT(StepBadly(server, overflow),
              ElementsAre(HasSubstr("generations: '18446744073709551606'")));
}

TEST(LifeServiceTest, BadPackedBoards) {
  InProcessServer server;
  v1::StepRequest request;
  request.mutable_packed()->set_width(0);
  EXPECT_THAT(StepBadly(server, request),
              ElementsAre(HasSubstr("packed.width: '0'"), HasSubstr("packed.height: '0'")));
  request.mutable_packed()->set_width(9);
  request.mutable_packed()->set_height(2);
  request.mutable_packed()->set_rows(std::string(3, '\0'));
  EXPECT_THAT(StepBadly(server, request),
              ElementsAre(HasSubstr("packed.rows: '3 bytes': a board of 9x2 has 4 bytes")));
  request.mutable_packed()->set_rows(std::string("\0\0\xff\x02", 4));
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("packed.rows: 'row 1'")));
  request.mutable_packed()->set_width(4'000'000'000u);
  request.mutable_packed()->set_height(4'000'000'000u);
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("max-step-cells is 16777216")));
}

TEST(LifeServiceTest, LimitsAreCheckedBeforeAnythingIsAllocated) {
  InProcessServer server;
  // A hostile header: four billion cells in 30 bytes.
  EXPECT_THAT(StepBadly(server, PatternRequest("4294967295o!", "torus:4294967295x1", 1)),
              ElementsAre(HasSubstr("live cells at most")));
  EXPECT_THAT(StepBadly(server, PatternRequest(kGlider, "torus:4294967295x4294967295", 1)),
              ElementsAre(HasSubstr("max-step-cells is 16777216")));
  // 4096 x 4096 is the limit itself; one more column pads to 64 more.
  EXPECT_EQ(StepWell(server, PatternRequest(kGlider, "torus:4096x4096", 4)).population(), 5u);
  EXPECT_THAT(StepBadly(server, PatternRequest(kGlider, "torus:4097x4096", 4)),
              ElementsAre(HasSubstr("17039360 cells with rows padded to 64")));
  // The open plane grows with the generations.
  EXPECT_THAT(StepBadly(server, PatternRequest(kGlider, "plane:auto", 100'000)),
              ElementsAre(HasSubstr("name a torus or a plane of a fixed size")));
  EXPECT_THAT(StepBadly(server, PatternRequest(kGlider, "plane:auto", ~std::uint64_t{0})),
              ElementsAre(HasSubstr("name a torus or a plane of a fixed size")));
}

TEST(LifeServiceTest, RepliesOverTheLimitAreRefused) {
  server::ServerOptions options = TestOptions();
  options.max_reply_bytes = 8192;
  InProcessServer server(options);
  v1::StepRequest request = PatternRequest(kGlider, "torus:256x256", 1);
  for (const auto format : {v1::OUTPUT_FORMAT_PACKED, v1::OUTPUT_FORMAT_CELLS}) {
    request.set_output_format(format);
    EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("passes max-reply-bytes, 8192")));
  }
  EXPECT_EQ(server.Statistics("life").requests(), 0u) << "refused before the work";

  // A glider's file is small, a soup's is not.
  request.set_output_format(v1::OUTPUT_FORMAT_RLE);
  EXPECT_GT(StepWell(server, request).file().size(), 0u);
  std::mt19937_64 random(1);
  *request.mutable_packed() = Packed(RandomBoard(256, 256, 0.5, random));
  EXPECT_THAT(StepBadly(server, request), ElementsAre(HasSubstr("passes max-reply-bytes, 8192")));
}

TEST(LifeServiceTest, LongRunsAreManyChunks) {
  InProcessServer server;
  // A glider on a torus is back after 4 * 64 generations, so also after a million times that.
  v1::StepRequest request = PatternRequest(kGlider, "torus:64x64", 0);
  const std::string start = StepWell(server, request).hash();
  request.set_generations(256'000);
  EXPECT_EQ(StepWell(server, request).hash(), start);
  const v1::KindStatistics statistics = server.Statistics("life");
  EXPECT_EQ(statistics.requests(), 2u);
  EXPECT_GT(statistics.batches(), 3u);
}

}  // namespace
}  // namespace gpusim::testing
