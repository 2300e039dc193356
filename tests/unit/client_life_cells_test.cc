// The commands that read, write and show the cells of resident boards.
#include <algorithm>
#include <filesystem>
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

TEST(LifeReadCommand, StreamsToAFileThatIsThereWhenItIsWhole) {
  Keeper keeper;
  const std::string path = Path("read.raw");
  const CommandEnding read = keeper.Run({"read", "a", "--region", "1,2,8,2", "--output", path});
  EXPECT_EQ(read.status, 0) << read.err;
  EXPECT_EQ(keeper.seen,
            "name: \"a\" region { x: 1 y: 2 width: 8 height: 2 } output_format: "
            "OUTPUT_FORMAT_PACKED");
  EXPECT_EQ(Contents(path), "ab");
  // A stream that is cut midway leaves what was there.
  keeper.data = "x";
  const CommandEnding cut = keeper.Run({"read", "a", "--output", path});
  EXPECT_EQ(cut.status, 1);
  EXPECT_EQ(cut.err, "the server failed (INTERNAL): the cells ended after 1 of 2 bytes\n");
  keeper.end = grpc::Status(grpc::StatusCode::UNAVAILABLE, "gone");
  EXPECT_EQ(keeper.Run({"read", "a", "--output", path}).err, "the server is unavailable: gone\n");
  EXPECT_EQ(Contents(path), "ab");
  for (const auto& entry : std::filesystem::directory_iterator(::testing::TempDir()))
    EXPECT_THAT(entry.path().string(), Not(HasSubstr("read.raw.part")));
}

TEST(LifeReadCommand, AnyFormatAndPlace) {
  Keeper keeper;
  const CommandEnding out = keeper.Run({"read", "a", "--output", "-"});
  EXPECT_EQ(out.out, "ab");
  EXPECT_EQ(out.err, ", generation 12, 8 x 2 at 0,0\n");
  EXPECT_EQ(keeper.seen, "name: \"a\" output_format: OUTPUT_FORMAT_RLE");
  for (const auto& [name, format] : {std::pair{"x.rle", "RLE"}, std::pair{"x.cells", "CELLS"},
                                     std::pair{"x.lif", "LIFE106"}, std::pair{"x.png", "PACKED"}}) {
    EXPECT_EQ(keeper.Run({"read", "a", "--output", Path(name)}).status, 0);
    EXPECT_THAT(keeper.seen, EndsWith(std::string("FORMAT_") + format));
  }
  EXPECT_THAT(Contents(Path("x.png")), StartsWith("\x89PNG"));
  EXPECT_EQ(keeper.Run({"read", "a", "--output", Path("x.rle"), "--format", "csv"}).out,
            "board,generation,x,y,width,height,bytes\n,12,0,0,8,2,2\n");
  // 'a' and 'b' are 0x61 and 0x62.
  EXPECT_EQ(keeper.Run({"read", "a"}).out, "O....OO.\n.O...OO.\n");
  EXPECT_EQ(keeper.Run({"read", "a", "--output", "/nonexistent/x.rle"}).err,
            "cannot write /nonexistent/x.rle: No such file or directory\n");
  EXPECT_EQ(keeper.Run({"read", "a", "--output", "/dev/full", "--output-format", "raw"}).err,
            "cannot write /dev/full: No space left on device\n");
}

TEST(LifeReadCommand, DensityIsAFrameOfAWatch) {
  Keeper keeper;
  v1::WatchBoardResponse frame;
  frame.mutable_density()->set_columns(2);
  frame.mutable_density()->set_rows(1);
  frame.mutable_density()->set_density("\x10\x20");
  keeper.frames = {frame};
  EXPECT_EQ(keeper.Run({"read", "a", "--output", Path("d.png"), "--density", "64"}).status, 0);
  EXPECT_EQ(keeper.seen, "name: \"a\" density_cell: 64");
  EXPECT_THAT(Contents(Path("d.png")), StartsWith("\x89PNG"));
}

TEST(LifeReadCommand, ChecksItsOptions) {
  Keeper keeper;
  EXPECT_EQ(keeper.Usage({"read", "a", "--region", "1,2,3"}),
            "--region '1,2,3' is not X,Y,W,H such as 0,0,640,480\n");
  EXPECT_EQ(keeper.Usage({"read", "a", "--format", "json"}),
            "--format needs a place for the cells; pass --output\n");
  EXPECT_EQ(keeper.Usage({"read", "a", "--output", "x.rle", "--density", "4"}),
            "--density is for a .png; pass --output x.png\n");
  EXPECT_EQ(keeper.Usage({"read", "a", "--output", "x.png", "--density", "1"}),
            "--density '1' is not from 2 to 65536\n");
  EXPECT_THAT(keeper.Usage({"read", "a", "--output", "-", "--format", "csv"}),
              HasSubstr("would both write to stdout"));
  keeper.total = std::uint64_t{1} << 40;
  EXPECT_EQ(keeper.Usage({"read", "a"}),
            "the board is too large to draw; pass --output or --region\n");
}

TEST(LifeWriteCommand, StampsPatternsRawFilesAndWholeBoards) {
  Keeper keeper;
  Put(Path("w.rle"), "bo!");
  Put(Path("w.raw"), "abcd");
  const CommandEnding written = keeper.Run({"write", "a", "--pattern", Path("w.rle"), "--at",
                                            "-1,5", "--mode", "xor", "--if-generation", "7"});
  EXPECT_EQ(written.status, 0) << written.err;
  EXPECT_EQ(keeper.seen,
            "name: \"a\" at { x: -1 y: 5 } pattern: \"bo!\" mode: WRITE_MODE_XOR if_generation: 7");
  keeper.Run({"write", "a", "--pattern", Path("w.raw"), "--size", "9x2", "--mode", "or"});
  EXPECT_EQ(keeper.seen, "name: \"a\" streamed { width: 9 height: 2 } mode: WRITE_MODE_OR");
  EXPECT_EQ(keeper.rows, "abcd");
  keeper.Run({"write", "a", "--clear", "--queue"});
  EXPECT_EQ(keeper.seen, "name: \"a\" clear: true queue: true");
  keeper.Run({"write", "a", "--random", "0.5", "--seed", "2"});
  EXPECT_EQ(keeper.seen, "name: \"a\" random { density: 0.5 seed: 2 }");
  EXPECT_EQ(keeper.Usage({"write", "a"}),
            "one of --pattern, --clear and --random says what to write\n");
  EXPECT_EQ(keeper.Usage({"write", "a", "--clear", "--at", "1,1"}),
            "--clear and --random write the whole board; leave out --at and --mode\n");
  EXPECT_EQ(keeper.Usage({"write", "a", "--pattern", "x.raw"}),
            "--pattern with a .raw file needs its size; pass --size WxH\n");
  EXPECT_EQ(keeper.Usage({"write", "a", "--pattern", "x.rle", "--mode", "and"}),
            "--mode 'and' is unknown; pass or, copy or xor\n");
}

TEST(LifeWatchCommand, PipedItPrintsALineAFrame) {
  Keeper keeper;
  v1::WatchBoardResponse frame;
  frame.mutable_facts()->set_generation(3);
  frame.mutable_facts()->set_population(5);
  frame.mutable_density()->set_columns(1);
  frame.mutable_density()->set_rows(1);
  frame.mutable_density()->set_density("\x10");
  keeper.frames = {frame, frame};
  keeper.frames[1].mutable_facts()->set_generation(4);
  keeper.frames[1].set_generations_per_second(2.5);
  keeper.frames[1].set_skipped(6);
  const CommandEnding table = keeper.Run({"watch", "a", "--rate", "5"});
  EXPECT_EQ(table.out,
            "generation 3  population 5\n"
            "generation 4  population 5  2.5 generations/s\n");
  EXPECT_EQ(
      table.err,
      "the server is stopping, or closing old connections\n");  // which is what the end of a watch means
  EXPECT_EQ(table.status, 1);
  // As few bytes as a frame can have.
  EXPECT_EQ(keeper.seen, "name: \"a\" frames_per_second: 5 density_cell: 64");
  EXPECT_EQ(keeper.Run({"watch", "a", "--format", "csv"}).out,
            "generation,population,generations_per_second,skipped\n3,5,0,0\n4,5,2.5,6\n");
  const std::string json =
      keeper.Run({"watch", "a", "--region", "0,0,8,8", "--format", "json"}).out;
  EXPECT_THAT(json, AllOf(StartsWith("{\"facts\":"), Not(HasSubstr("density"))));
  EXPECT_EQ(std::count(json.begin(), json.end(), '\n'), 2);
  EXPECT_THAT(keeper.Run({"watch", "a", "--cell", "4", "--format", "json"}).out,
              HasSubstr("\"density\":\"EA==\""));
  EXPECT_EQ(keeper.Usage({"watch", "a", "--rate", "500"}),
            "--rate '500' is not from 0.01 to 120\n");
  EXPECT_EQ(keeper.Usage({"watch", "a", "--cell", "0"}), "--cell '0' is not from 1 to 65536\n");
  EXPECT_EQ(keeper.Usage({"run", "a", "--step", "0"}),
            "--step '0' is neither a number from 1 nor max\n");
}

}  // namespace
}  // namespace gpusim::testing
