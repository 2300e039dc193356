#include "server/boards/new_board.h"

#include <algorithm>
#include <utility>

#include "server/boards/board_names.h"

namespace gpusim::boards {
namespace {

tl::unexpected<BoardError> DeviceError(const DeviceFault& fault) {
  return Refuse(BoardError::Reason::kDevice, fault.what);
}

class BoardInTheMaking final : public NewBoard {
 public:
  BoardInTheMaking(std::shared_ptr<Board> board,
                   std::function<Result<void>(const std::shared_ptr<Board>&)> publish,
                   std::function<void()> give_up)
      : board_(std::move(board)), publish_(std::move(publish)), give_up_(std::move(give_up)) {}
  ~BoardInTheMaking() override {
    if (published_) return;
    board_->Close(false, [](const BoardStatus&) {});
    give_up_();
  }

  const BoardShape& shape() const override { return board_->shape(); }

  Result<void> WriteRows(std::uint32_t y, std::span<const std::uint64_t> words) override {
    const std::uint64_t row_words = life::WordsPerRow(shape().width);
    const life::WordBlock block{.y = y,
                                .rows = static_cast<std::uint32_t>(words.size() / row_words),
                                .word = 0,
                                .words = static_cast<std::uint32_t>(row_words)};
    auto written = board_->cells_of_new_board().Write(block, words.data());
    if (!written) return DeviceError(written.error());
    return {};
  }

  void Fill(std::uint64_t seed, std::uint64_t threshold,
            std::function<void(Result<void>)> done) override {
    BoardStore::WriteWishes wishes;
    wishes.seed = seed;
    wishes.threshold = threshold;
    board_->Write(std::move(wishes), [done = std::move(done)](Result<BoardStatus> filled) {
      done(filled.map([](const BoardStatus&) {}));
    });
  }

  Result<BoardStatus> Publish() override {
    return publish_(board_).map([this] {
      published_ = true;
      return board_->status();
    });
  }

 private:
  const std::shared_ptr<Board> board_;
  const std::function<Result<void>(const std::shared_ptr<Board>&)> publish_;
  const std::function<void()> give_up_;
  bool published_ = false;
};

class HeldLease final : public LeaseHold {
 public:
  explicit HeldLease(std::shared_ptr<Board> board) : board_(std::move(board)) {
    board_->HoldLease();
  }
  ~HeldLease() override { board_->ReleaseLease(); }

 private:
  const std::shared_ptr<Board> board_;
};

class RowsOnDevice final : public StagedRows {
 public:
  RowsOnDevice(MemoryBudget::Share share, std::unique_ptr<life::DeviceCells> cells)
      : share_(std::move(share)), cells_(std::move(cells)) {}

  std::uint32_t width() const override { return cells_->width(); }
  std::uint32_t height() const override { return cells_->height(); }

  Result<void> Append(std::span<const std::uint64_t> rows) override {
    const std::uint64_t row_words = life::WordsPerRow(width());
    const std::uint64_t count = rows.size() / row_words;
    if (count > height() - next_row_) {
      return RefuseInput("rows", std::to_string(next_row_ + count),
                         "not more than the stamp's height, " + std::to_string(height()));
    }
    auto written =
        cells_->Write(BlockOf(next_row_, static_cast<std::uint32_t>(count)), rows.data());
    if (!written) return DeviceError(written.error());
    next_row_ += static_cast<std::uint32_t>(count);
    return {};
  }

  Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const override {
    auto read = cells_->Read(BlockOf(y, rows), out);
    if (!read) return DeviceError(read.error());
    return {};
  }

 private:
  life::WordBlock BlockOf(std::uint32_t y, std::uint32_t rows) const {
    return {.y = y,
            .rows = rows,
            .word = 0,
            .words = static_cast<std::uint32_t>(life::WordsPerRow(width()))};
  }

  const MemoryBudget::Share share_;  // before the cells, which are freed first
  const std::unique_ptr<life::DeviceCells> cells_;
  std::uint32_t next_row_ = 0;
};

}  // namespace

std::unique_ptr<NewBoard> MakeNewBoard(
    std::shared_ptr<Board> board,
    std::function<Result<void>(const std::shared_ptr<Board>&)> publish,
    std::function<void()> give_up) {
  return std::make_unique<BoardInTheMaking>(std::move(board), std::move(publish),
                                            std::move(give_up));
}

std::unique_ptr<LeaseHold> MakeLeaseHold(std::shared_ptr<Board> board) {
  return std::make_unique<HeldLease>(std::move(board));
}

std::shared_ptr<StagedRows> MakeStagedRows(MemoryBudget::Share share,
                                           std::unique_ptr<life::DeviceCells> cells) {
  return std::make_shared<RowsOnDevice>(std::move(share), std::move(cells));
}

}  // namespace gpusim::boards
