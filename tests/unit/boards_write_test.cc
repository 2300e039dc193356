// Stamps and fills: every mode at every alignment over the seams, whole or not at all.
#include <cstdint>
#include <random>
#include <string>

#include "kernels/rules/life_facts.h"
#include "server/boards/bands.h"
#include "server/boards/stamp.h"
#include "tests/testing/board_store_test.h"

namespace gpusim::boards {
namespace {

using Reason = BoardError::Reason;

// Cell by cell.
life::Board StampByHand(life::Board board, const life::Board& stamp, std::int64_t x, std::int64_t y,
                        WriteMode mode) {
  const auto wrap = [](std::int64_t at, std::uint32_t side) {
    return static_cast<std::uint32_t>(((at % side) + side) % side);
  };
  for (std::uint32_t sy = 0; sy < stamp.height; ++sy) {
    for (std::uint32_t sx = 0; sx < stamp.width; ++sx) {
      const std::uint32_t bx = wrap(x + sx, board.width);
      const std::uint32_t by = wrap(y + sy, board.height);
      const bool cell = stamp.Alive(sx, sy);
      const bool old = board.Alive(bx, by);
      const bool next = mode == WriteMode::kOr    ? old || cell
                        : mode == WriteMode::kXor ? old != cell
                                                  : cell;
      board.Set(bx, by, next);
    }
  }
  return board;
}

// By the pieces alone, without a store: many more cases than chunks would allow.
TEST(Stamp, PiecesMeetTheBoardLikeCellByCell) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 3000; ++round) {
    const auto side = [&](std::uint64_t most) {
      return static_cast<std::uint32_t>(1 + random() % most);
    };
    const std::uint32_t width = side(200);
    const std::uint32_t height = side(20);
    const life::Board board = testing::RandomBoard(width, height, 0.5, random);
    const life::Board stamp = testing::RandomBoard(side(width), side(height), 0.5, random);
    const auto x = static_cast<std::int64_t>(random() % (4 * width)) - 2 * std::int64_t{width};
    const auto y = static_cast<std::int64_t>(random() % (4 * height)) - 2 * std::int64_t{height};
    const auto mode = static_cast<WriteMode>(round % 3);
    life::Board stamped = board;
    const std::uint64_t row_words = life::WordsPerRow(width);
    const std::uint64_t stamp_words = life::WordsPerRow(stamp.width);
    for (const StampPiece& piece : PiecesOf(width, height, stamp.width, stamp.height, x, y)) {
      std::vector<std::uint64_t> words;
      for (std::uint32_t row = 0; row < piece.block.rows; ++row) {
        const auto from =
            stamped.words.begin() +
            static_cast<std::ptrdiff_t>((piece.block.y + row) * row_words + piece.block.word);
        words.insert(words.end(), from, from + piece.block.words);
      }
      const std::span<const std::uint64_t> rows(stamp.words.data() + piece.stamp_y * stamp_words,
                                                piece.block.rows * stamp_words);
      Combine(piece, mode, stamp_words, rows, words);
      for (std::uint32_t row = 0; row < piece.block.rows; ++row) {
        std::copy_n(
            words.begin() + static_cast<std::ptrdiff_t>(row) * piece.block.words, piece.block.words,
            stamped.words.begin() +
                static_cast<std::ptrdiff_t>((piece.block.y + row) * row_words + piece.block.word));
      }
    }
    ASSERT_EQ(stamped, StampByHand(board, stamp, x, y, mode))
        << width << "x" << height << " stamp " << stamp.width << "x" << stamp.height << " at " << x
        << "," << y << " mode " << round % 3;
  }
}

TEST(Bands, CoverABoardOnceInTheOrderOfItsWords) {
  for (const auto& [width, height] :
       {std::pair{1u, 1u}, std::pair{64u, 300'000u}, std::pair{130u, 100'000u},
        std::pair{20'000'000u, 3u}, std::pair{8'388'608u, 2u}, std::pair{8'388'609u, 2u}}) {
    const Bands bands(width, height);
    const std::uint64_t row_words = life::WordsPerRow(width);
    std::uint64_t next = 0;
    for (std::uint64_t band = 0; band < bands.count(); ++band) {
      const life::WordBlock block = bands.At(band);
      ASSERT_EQ(block.y * row_words + block.word, next);
      ASSERT_LE(block.size(), kBandWords);
      ASSERT_TRUE(block.rows == 1 || (block.word == 0 && block.words == row_words));
      next += block.size();
    }
    EXPECT_EQ(next, BoardWords(width, height));
  }
}

class WriteTest : public BoardStoreTest {
 protected:
  WriteTest() { Open(); }
};

TEST_F(WriteTest, StampsOfAllModesOverTheSeams) {
  std::mt19937_64 random(4);
  life::Board board = Soup(190, 70);
  Create("b", board);
  for (int round = 0; round < 60; ++round) {
    BoardStore::WriteWishes wishes;
    const life::Board stamp =
        testing::RandomBoard(1 + static_cast<std::uint32_t>(random() % 190),
                             1 + static_cast<std::uint32_t>(random() % 70), 0.5, random);
    wishes.stamp = std::make_shared<HostStamp>(stamp);
    wishes.x = static_cast<std::int64_t>(random() % 400) - 200;
    wishes.y = static_cast<std::int64_t>(random() % 200) - 100;
    wishes.mode = static_cast<WriteMode>(round % 3);
    const auto written = Write("b", wishes);
    ASSERT_TRUE(written.has_value());
    EXPECT_EQ(written->version, static_cast<std::uint64_t>(round) + 2);
    board = StampByHand(board, stamp, wishes.x, wishes.y, wishes.mode);
    ASSERT_EQ(Cells("b"), board) << round;
  }
  EXPECT_EQ(store_->Get("b")->generation, 0u);
}

// A pin that is taken while the stamp goes in band by band sees nothing of it.
TEST_F(WriteTest, NobodySeesHalfAStamp) {
  const life::Board soup = Soup(64, 64);
  Create("b", soup);
  class Looking final : public StampRows {
   public:
    Looking(const HostStamp& stamp, std::function<void()> look)
        : stamp_(stamp), look_(std::move(look)) {}
    std::uint32_t width() const override { return stamp_.width(); }
    std::uint32_t height() const override { return stamp_.height(); }
    Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const override {
      look_();
      return stamp_.Read(y, rows, out);
    }

   private:
    const HostStamp& stamp_;
    const std::function<void()> look_;
  };
  std::vector<std::shared_ptr<Answer<PinnedBoard>>> pins;
  const HostStamp stamp(Soup(64, 64, 2));
  BoardStore::WriteWishes wishes;
  // Over both seams: four pieces, a look in each.
  wishes.x = 30;
  wishes.y = 30;
  wishes.stamp = std::make_shared<Looking>(stamp, [&] {
    pins.push_back(std::make_shared<Answer<PinnedBoard>>());
    store_->Pin("b", pins.back()->done());
  });
  ASSERT_TRUE(Write("b", wishes).has_value());
  ASSERT_EQ(pins.size(), 4u);
  for (std::size_t i = 0; i + 1 < pins.size(); ++i) EXPECT_EQ(CellsOf(*pins[i]->Get()), soup);
  EXPECT_EQ(CellsOf(*pins.back()->Get()), Cells("b")) << "asked during the last piece";
}

TEST_F(WriteTest, FaultLeavesTheBoardAsItWas) {
  const life::Board soup = Soup(64, 64);
  Create("b", soup);
  BoardStore::WriteWishes wishes;
  auto stamp = std::make_shared<HostStamp>(Soup(64, 64, 2));
  wishes.stamp = stamp;
  device_.FailAfter(0, "no copy");
  auto written = Write("b", wishes);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().reason, Reason::kDevice);
  stamp->fails = true;
  written = Write("b", wishes);
  ASSERT_FALSE(written.has_value());
  EXPECT_EQ(written.error().message, "no stamp");
  EXPECT_EQ(Cells("b"), soup);
  EXPECT_EQ(store_->Get("b")->version, 1u);
  stamp->fails = false;
  EXPECT_TRUE(Write("b", wishes).has_value());
  EXPECT_EQ(Cells("b"), Soup(64, 64, 2));
}

TEST_F(WriteTest, IfGenerationHasToBeMet) {
  Create("b", Soup(64, 64));
  Run("b", To(3));
  BoardStore::WriteWishes wishes;
  wishes.if_generation = 2;
  EXPECT_EQ(Write("b", wishes).error().reason, Reason::kWrongGeneration);
  wishes.if_generation = 3;
  EXPECT_TRUE(Write("b", wishes).has_value());
  EXPECT_EQ(life::Population(Cells("b")), 0u);
}

// In chunks or at once, by a write or in the making: the same cells.
TEST_F(WriteTest, RandomFillGoesInChunks) {
  constexpr std::uint64_t kHalf = std::uint64_t{1} << 31;
  BoardStore::NewBoardWishes wishes;
  wishes.id = "b";
  wishes.shape = {.width = 100, .height = 70};
  {
    auto made = *store_->Create(wishes);
    Answer<int> filled;
    made->Fill(7, kHalf, [done = filled.done()](const Result<void>& result) {
      done(result.map([] { return 1; }));
    });
    ASSERT_TRUE(filled.Get().has_value());
    ASSERT_TRUE(made->Publish().has_value());
  }
  auto cells = backend_->MakeCells(0, 100, 70);
  ASSERT_TRUE((*cells)->Fill(0, 70, 7, kHalf).has_value());
  life::Board expected = life::Board::Empty(100, 70);
  ASSERT_TRUE((*cells)
                  ->Read({.y = 0, .rows = 70, .word = 0, .words = 2}, expected.words.data())
                  .has_value());
  EXPECT_EQ(Cells("b"), expected);
  EXPECT_GT(life::Population(expected), 3000u);
  store_.reset();
  device_.fill_words = 6;  // three rows a chunk
  Open();
  Create("c", Soup(100, 70));
  BoardStore::WriteWishes fill;
  fill.seed = 7;
  fill.threshold = kHalf;
  ASSERT_TRUE(Write("c", fill).has_value());
  EXPECT_EQ(Cells("c"), expected);
}

TEST_F(WriteTest, StagedRowsAreStampedAndTheirMemoryComesBack) {
  Create("b", life::Board::Empty(100, 50));
  const life::Board stamp = Soup(70, 20);
  const std::uint64_t before = store_->use().memory_bytes;
  {
    auto staged = *store_->StageRows("b", 70, 20);
    EXPECT_EQ(store_->use().memory_bytes, before + 20 * 2 * 8);
    const std::span<const std::uint64_t> words(stamp.words);
    ASSERT_TRUE(staged->Append(words.first(7 * 2)).has_value());
    ASSERT_TRUE(staged->Append(words.subspan(7 * 2)).has_value());
    EXPECT_EQ(staged->Append(words.first(2)).error().reason, Reason::kBadInput);
    BoardStore::WriteWishes wishes;
    wishes.stamp = staged;
    wishes.x = -5;
    wishes.y = 40;
    ASSERT_TRUE(Write("b", wishes).has_value());
  }
  EXPECT_EQ(store_->use().memory_bytes, before);
  EXPECT_EQ(Cells("b"), StampByHand(life::Board::Empty(100, 50), stamp, -5, 40, WriteMode::kCopy));
}

}  // namespace
}  // namespace gpusim::boards
