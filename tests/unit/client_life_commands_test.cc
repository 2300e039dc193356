// 'life step' of a pattern and 'life soups', from their arguments to what they print.
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <png.h>

#include "client/cli/board_picture.h"
#include "client/cli/life_values.h"
#include "client/cli/png_writer.h"
#include "tests/unit/client_run_command.h"

namespace gpusim {
namespace {

using ::testing::AllOf;
using testing::CommandEnding;
using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using ::testing::Not;
using testing::RunCommand;

using Arguments = std::vector<std::string>;

std::string Path(const std::string& name) { return ::testing::TempDir() + name; }

// A picture as libpng reads it: lines of hex pixels.
struct Pixels {
  int bits = 0;
  std::uint32_t width = 0;
  std::vector<std::string> rows;
};

Pixels ReadPng(const std::string& path) {
  Pixels pixels;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) return pixels;
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_read_info(png, info);
  pixels.bits = png_get_bit_depth(png, info);
  pixels.width = png_get_image_width(png, info);
  EXPECT_EQ(png_get_color_type(png, info), PNG_COLOR_TYPE_GRAY);
  png_set_packing(png);  // a byte a pixel
  png_read_update_info(png, info);
  std::vector<png_byte> row(pixels.width);
  for (std::uint32_t y = 0; y < png_get_image_height(png, info); ++y) {
    png_read_row(png, row.data(), nullptr);
    std::string text;
    for (const png_byte pixel : row)
      text += pixels.bits == 1 ? (pixel != 0 ? "1" : "0") : std::to_string(pixel) + " ";
    pixels.rows.push_back(text);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  std::fclose(file);
  return pixels;
}

std::string Png(const cli::PngShape& shape, const std::vector<std::string>& bands) {
  std::string bytes;
  cli::PngWriter png(shape, [&](std::string_view more) {
    bytes += more;
    return true;
  });
  for (const std::string& band : bands) EXPECT_TRUE(png.WriteRows(band));
  EXPECT_TRUE(png.Finish());
  std::string path = Path("written.png");
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

TEST(Png, CellsComeBackAsTheyWere) {
  // Bit 0 is the leftmost cell: 10 cells of x = 0, 9 and then x = 3.
  const std::string rows = std::string("\x01\x02\x08\x00", 4);
  const Pixels pixels =
      ReadPng(Png({.width = 10, .height = 2}, {rows.substr(0, 2), rows.substr(2)}));
  EXPECT_EQ(pixels.bits, 1);
  EXPECT_THAT(pixels.rows, ElementsAre("1000000001", "0001000000"));
}

TEST(Png, ScaleMakesSquares) {
  EXPECT_THAT(
      ReadPng(Png({.width = 3, .height = 2, .scale = 3}, {"\x05\x02"})).rows,
      ElementsAre("111000111", "111000111", "111000111", "000111000", "000111000", "000111000"));
}

TEST(Png, DensitiesAreGray) {
  const Pixels pixels = ReadPng(
      Png({.width = 2, .height = 2, .bits = 8, .scale = 1}, {std::string("\x00\x07\xff\x80", 4)}));
  EXPECT_EQ(pixels.bits, 8);
  EXPECT_THAT(pixels.rows, ElementsAre("0 7 ", "255 128 "));
  EXPECT_THAT(ReadPng(Png({.width = 1, .height = 1, .bits = 8, .scale = 2}, {"\x09"})).rows,
              ElementsAre("9 9 ", "9 9 "));
}

TEST(Png, WhatDoesNotFitFails) {
  const auto nowhere = [](std::string_view) { return true; };
  EXPECT_FALSE(cli::PngWriter({.width = 8, .height = 1}, nowhere).Finish());
  EXPECT_FALSE(cli::PngWriter({.width = 8, .height = 1}, nowhere).WriteRows("ab"));
  EXPECT_FALSE(cli::PngWriter({.width = 9, .height = 1}, nowhere).WriteRows("abc"));
  const auto full = [](std::string_view) { return false; };
  cli::PngWriter png({.width = 8, .height = 1}, full);
  EXPECT_FALSE(png.WriteRows("a"));
  EXPECT_FALSE(png.Finish());
  EXPECT_EQ(cli::PngFault({.width = 65536, .height = 1, .scale = 1024}), "");
  EXPECT_THAT(cli::PngFault({.width = 1u << 31, .height = 1}), HasSubstr("2147483647"));
}

TEST(LifeValues, RegionsSizesAndUntil) {
  EXPECT_EQ(cli::ParseRegion("1,2,3,4").value().height(), 4u);
  for (const char* bad : {"", "1,2,3", "1,2,3,4,5", "-1,2,3,4", "1,2,3,x", "1,2,3,4294967296"})
    EXPECT_EQ(cli::ParseRegion(bad).error(), "is not X,Y,W,H such as 0,0,640,480") << bad;
  EXPECT_THAT(cli::ParseRegion("1,2,0,4").error(), HasSubstr("no cells"));
  EXPECT_EQ(cli::ParseSize("64x32").value().height, 32u);
  for (const char* bad : {"", "64", "64x", "x64", "0x4", "64x64x64", "4294967296x1"})
    EXPECT_FALSE(cli::ParseSize(bad)) << bad;
  EXPECT_EQ(cli::SizeOfTopology("torus:65536x65536").value().width, 65536u);
  EXPECT_FALSE(cli::SizeOfTopology("plane:auto"));
  EXPECT_FALSE(cli::SizeOfTopology("64x64"));
  EXPECT_EQ(cli::ParseUntil("period<=4").value().period_at_most(), 4u);
  EXPECT_EQ(cli::ParseUntil("population>=1e3").value().population_at_least(), 1000u);
  EXPECT_TRUE(cli::ParseUntil("still").value().still());
  EXPECT_THAT(cli::ParseUntil("period<=5000").error(), HasSubstr("1 to 4096"));
  EXPECT_THAT(cli::ParseUntil("period<4").error(), HasSubstr("is unknown; pass extinct, still"));
  EXPECT_THAT(cli::ParseUntil("population<=x").error(), HasSubstr("is not a number"));
  EXPECT_EQ(cli::ParseDensity("1").value(), 1.0);
  for (const char* bad : {"", "-0.1", "1.01", "nan", "half"})
    EXPECT_FALSE(cli::ParseDensity(bad)) << bad;
  EXPECT_EQ(cli::ParseLease("none").value(), 0u);
  EXPECT_EQ(cli::ParseLease("1500ms").value(), 2u);
  EXPECT_THAT(cli::ParseFacts("box,changes").value(), ElementsAre(v1::FACT_BOX, v1::FACT_CHANGES));
  EXPECT_THAT(cli::ParseFacts("box,").error(), HasSubstr("unknown fact"));
}

TEST(LifePictures, ShadesShowEveryLiveCell) {
  v1::DensityFrame frame;
  frame.set_columns(3);
  frame.set_rows(3);
  frame.set_density(std::string("\x00\x01\xff\x00\x00\xff\x00\x00\x10", 9));
  EXPECT_EQ(cli::DensityPicture(frame, false), " .#\n  .\n");
  EXPECT_EQ(cli::DensityPicture(frame, true), " \u2591\u2588\n  \u2591\n");
  frame.set_density("");  // shorter than it says
  EXPECT_EQ(cli::DensityPicture(frame, false), "   \n   \n");
}

struct Stepper {
  std::string seen;
  v1::StepResponse reply;
  FakeServer server{{.step = [this](grpc::ServerContext&, const v1::StepRequest& request,
                                    v1::StepResponse& response) {
    seen = request.ShortDebugString();
    response = reply;
    return grpc::Status::OK;
  }}};
  CommandEnding Run(Arguments more) const {
    more.insert(more.begin(), {"life", "step"});
    return RunCommand(server, more);
  }
};

const Arguments kRandom = {"--random",   "0.375",     "--seed",        "7",
                           "--topology", "torus:8x8", "--generations", "100"};

Arguments With(Arguments arguments, const Arguments& more) {
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(LifeStepCommand, AsksForARandomBoardUntilWithFacts) {
  Stepper stepper;
  stepper.reply.set_generation(20);
  stepper.reply.set_stop_reason(v1::STOP_REASON_CONDITION);
  stepper.reply.set_period(2);
  stepper.reply.mutable_facts()->set_births(3);
  stepper.reply.mutable_facts()->mutable_box()->set_x(5);
  stepper.reply.mutable_facts()->set_digest("00000000000000aa");
  const Arguments asked = With(kRandom, {"--until", "period<=4", "--facts", "changes,box,digest"});
  const CommandEnding table = stepper.Run(asked);
  EXPECT_EQ(table.status, 0) << table.err;
  EXPECT_EQ(stepper.seen,
            "topology: \"torus:8x8\" generations: 100 random { density: 0.375 seed: 7 } until { "
            "period_at_most: 4 } facts: FACT_CHANGES facts: FACT_BOX facts: FACT_DIGEST");
  EXPECT_THAT(table.out, AllOf(HasSubstr("changes     3 births, 0 deaths\n"),
                               HasSubstr("live cells  0 x 0 at 5,0\n"),
                               HasSubstr("digest      00000000000000aa\n"),
                               HasSubstr("stopped     period 2\n"), Not(HasSubstr("hash"))));
  EXPECT_EQ(stepper.Run(With(asked, {"--format", "csv"})).out,
            "generation,population,hash,rule,topology,width,height,x,y,stop_reason,period,births,"
            "deaths,box_x,box_y,box_width,box_height,digest\n"
            "20,0,,,,0,0,0,0,CONDITION,2,3,0,5,0,0,0,00000000000000aa\n");
}

TEST(LifeStepCommand, ASeriesIsATable) {
  Stepper stepper;
  for (const std::uint64_t generation : {0u, 50u, 100u}) {
    v1::BoardFacts& row = *stepper.reply.add_series();
    row.set_generation(generation);
    row.set_population(5);
  }
  const Arguments asked = With(kRandom, {"--facts-every", "50"});
  EXPECT_THAT(stepper.Run(asked).out, HasSubstr("\ngeneration  population\n"
                                                "         0           5\n"
                                                "        50           5\n"
                                                "       100           5\n"));
  EXPECT_THAT(stepper.seen, HasSubstr("facts_every: 50"));
  EXPECT_EQ(stepper.Run(With(asked, {"--format", "csv", "--facts", "box,hash"})).out,
            "generation,population,box_x,box_y,box_width,box_height\n"
            "0,5,,,,\n50,5,,,,\n100,5,,,,\n");
  EXPECT_THAT(stepper.Run(With(asked, {"--format", "json"})).out, HasSubstr("\"series\": ["));
}

TEST(LifeStepCommand, WritesAPng) {
  Stepper stepper;
  stepper.reply.mutable_packed()->set_width(3);
  stepper.reply.mutable_packed()->set_height(1);
  stepper.reply.mutable_packed()->set_rows("\x05");
  const std::string path = Path("step.png");
  const CommandEnding ending = stepper.Run(With(kRandom, {"--output", path, "--scale", "2"}));
  EXPECT_EQ(ending.status, 0) << ending.err;
  EXPECT_THAT(stepper.seen, HasSubstr("output_format: OUTPUT_FORMAT_PACKED"));
  EXPECT_THAT(ReadPng(path).rows, ElementsAre("110011", "110011"));
  stepper.reply.mutable_packed()->set_rows("\x05\x05");
  EXPECT_THAT(stepper.Run(With(kRandom, {"--output", path})).err,
              HasSubstr("the board that came does not fit its size"));
  stepper.reply.mutable_packed()->set_width(0);
  EXPECT_THAT(stepper.Run(With(kRandom, {"--output", path})).err, HasSubstr("without cells"));
}

TEST(LifeStepCommand, RefusesWhatDoesNotFitTogether) {
  Stepper stepper;
  const auto error = [&](const Arguments& arguments) {
    const CommandEnding ending = stepper.Run(arguments);
    EXPECT_EQ(ending.status, 2);
    return ending.err;
  };
  EXPECT_EQ(error({"--random", "0.5", "--generations", "1"}),
            "--random needs a size; pass --topology torus:64x64 or plane:64x64\n");
  EXPECT_EQ(error(With(kRandom, {"--pattern", "x.rle"})),
            "--random and --pattern are two boards; pass one\n");
  EXPECT_EQ(error(With(kRandom, {"--at", "1,2"})),
            "--at is for a pattern; --random fills the whole board\n");
  EXPECT_EQ(error({"--random", "2", "--topology", "torus:8x8", "--generations", "1"}),
            "--random '2' is not a density from 0 to 1 such as 0.375\n");
  EXPECT_EQ(error({"--pattern", "-", "--seed", "1", "--generations", "1"}),
            "--seed needs --random\n");
  EXPECT_EQ(error(With(kRandom, {"--until", "dead"})),
            "--until 'dead' is unknown; pass extinct, still, 'period<=4', 'population<=10' or "
            "'population>=10'\n");
  EXPECT_EQ(error(With(kRandom, {"--facts", "hash,mood"})),
            "--facts 'hash,mood' has an unknown fact; pass some of "
            "box,changes,digest,shape-digest,hash\n");
  EXPECT_EQ(error(With(kRandom, {"--facts-every", "0"})),
            "--facts-every '0' is not at least 1; leave it out for no series\n");
  EXPECT_EQ(error(With(kRandom, {"--scale", "2"})), "--scale is for a .png; pass --output x.png\n");
  EXPECT_EQ(error(With(kRandom, {"--output", "x.png", "--scale", "0"})),
            "--scale '0' is not from 1 to 1024\n");
  EXPECT_EQ(error(With(kRandom, {"--to", "5"})), "--to is for a board; pass its name\n");
  EXPECT_EQ(error(With(kRandom, {"--detached"})), "--detached is for a board; pass its name\n");
  EXPECT_EQ(error(With({"big"}, kRandom)), "--random is for a pattern, not for a board\n");
}

// Answers with the seed as the population, and remembers how many boards were asked for.
struct Soups {
  std::vector<std::uint32_t> counts;
  std::string seen;
  FakeServer server{{.step_many = [this](grpc::ServerContext&, const v1::StepManyRequest& request,
                                         v1::StepManyResponse& response) {
    const v1::UniformBoards& asked = request.uniform();
    counts.push_back(asked.count());
    if (seen.empty()) seen = request.ShortDebugString();
    v1::UniformResults& uniform = *response.mutable_uniform();
    for (std::uint64_t i = 0; i < asked.count(); ++i) {
      const std::uint64_t seed = asked.random().seed() + i;
      const std::uint64_t generation = 10;
      uniform.mutable_population()->append(reinterpret_cast<const char*>(&seed), 8);
      uniform.mutable_generation()->append(reinterpret_cast<const char*>(&generation), 8);
      uniform.mutable_stop_reason()->push_back(static_cast<char>(seed % 2 == 0 ? 2 : 1));
      const std::uint32_t period = seed % 2 == 0 ? 3 : 0;
      uniform.mutable_period()->append(reinterpret_cast<const char*>(&period), 4);
      if (asked.facts_size() > 0)
        uniform.mutable_digest()->append(reinterpret_cast<const char*>(&seed), 8);
    }
    for (std::uint64_t i = 0; asked.facts_size() > 0 && i < 4 * asked.count(); ++i)
      uniform.mutable_box()->append("\1\0\0\0", 4);
    return grpc::Status::OK;
  }}};
};

TEST(LifeSoupsCommand, CountsSeedsOnOverCalls) {
  Soups soups;
  const CommandEnding csv =
      RunCommand(soups.server, {"life", "soups", "--count", "1000", "--seed", "5", "--until",
                                "period<=3", "--format", "csv"});
  EXPECT_EQ(csv.status, 0) << csv.err;
  EXPECT_EQ(soups.seen,
            "uniform { topology: \"torus:64x64\" count: 256 random { density: 0.375 seed: 5 } "
            "generations: 100000 until { period_at_most: 3 } facts: FACT_BOX facts: FACT_DIGEST }");
  EXPECT_EQ(soups.counts[0], 256u);  // how many follow, depends on the time that it took
  std::istringstream lines(csv.out);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line,
            "seed,generation,population,stop_reason,period,box_x,box_y,box_width,box_height,"
            "digest");
  for (std::uint64_t seed = 5; seed < 1005; ++seed) {
    std::getline(lines, line);
    char expected[128];
    std::snprintf(expected, sizeof expected, "%d,10,%d,%s,1,1,1,1,%016x", static_cast<int>(seed),
                  static_cast<int>(seed), seed % 2 == 0 ? "CONDITION,3" : "TARGET,0",
                  static_cast<unsigned>(seed));
    EXPECT_EQ(line, expected);
  }
  EXPECT_FALSE(std::getline(lines, line));
  EXPECT_THAT(csv.err, MatchesRegex("1000 soups in .* s: .* soups/s, .* cells/s\n"));
}

TEST(LifeSoupsCommand, TablesAndJson) {
  Soups soups;
  const Arguments asked = {"life",       "soups",     "--count",       "4",      "--size",
                           "32x16",      "--density", "0.5",           "--rule", "B36/S23",
                           "--topology", "plane",     "--generations", "10"};
  EXPECT_EQ(RunCommand(soups.server, asked).out,
            "end       soups   share  mean generation  mean population\n"
            "TARGET        2  50.00%             10.0              2.0\n"
            "period 3      2  50.00%             10.0              1.0\n");
  EXPECT_EQ(soups.seen,
            "uniform { topology: \"plane:32x16\" count: 4 random { density: 0.5 } rule: "
            "\"B36/S23\" generations: 10 }");
  EXPECT_THAT(RunCommand(soups.server, With(asked, {"--format", "json", "--facts", "digest"})).out,
              ::testing::StartsWith("{\"seed\": \"0\", \"generation\": \"10\", \"population\": "
                                    "\"0\", \"stop_reason\": \"CONDITION\", \"period\": \"3\", "
                                    "\"digest\": \"0000000000000000\"}\n{\"seed\": \"1\""));
}

TEST(LifeSoupsCommand, ChecksItsOptions) {
  Soups soups;
  const auto error = [&](const Arguments& more) {
    const CommandEnding ending = RunCommand(soups.server, With({"life", "soups"}, more));
    EXPECT_EQ(ending.status, 2);
    return ending.err;
  };
  EXPECT_EQ(error({}), "--count is missing; pass a number such as --count 100000\n");
  EXPECT_EQ(error({"--count", "0"}), "--count '0' is not at least 1\n");
  EXPECT_EQ(error({"--count", "1", "--size", "64"}), "--size '64' is not WxH such as 64x64\n");
  EXPECT_EQ(error({"--count", "1", "--size", "65536x65536"}),
            "--size '65536x65536' has more than 2^30 cells\n");
  EXPECT_EQ(error({"--count", "1", "--topology", "torus:64x64"}),
            "--topology 'torus:64x64' is unknown; pass torus or plane, and the size with --size\n");
  EXPECT_EQ(error({"--count", "1", "--density", "3"}),
            "--density '3' is not a density from 0 to 1 such as 0.375\n");
  EXPECT_TRUE(soups.counts.empty());
}

TEST(LifeSoupsCommand, TooFewBoardsAreAnError) {
  FakeServer server(testing::FakeHandlers{});
  const CommandEnding ending = RunCommand(server, {"life", "soups", "--count", "2"});
  EXPECT_EQ(ending.status, 1);
  EXPECT_EQ(ending.err, "the server failed (INTERNAL): the server answered 0 boards of 2\n");
}

}  // namespace
}  // namespace gpusim
