#include "server/services/board_cells.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <utility>

#include "server/batching/mutex.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

using boards::BoardError;
using boards::Result;
using life::kCellsPerWord;

BoardError DeviceFailed(const DeviceFault& fault) {
  return {.reason = BoardError::Reason::kDevice, .message = "the device failed: " + fault.what};
}

std::uint64_t LiveCells(const std::uint64_t* row, std::uint64_t begin, std::uint64_t end) {
  std::uint64_t live = 0;
  while (begin < end) {
    const std::uint64_t take = std::min(end - begin, kCellsPerWord - begin % kCellsPerWord);
    const std::uint64_t mask = ~std::uint64_t{0} >> (kCellsPerWord - take);
    live += static_cast<std::uint64_t>(
        std::popcount(row[begin / kCellsPerWord] >> (begin % kCellsPerWord) & mask));
    begin += take;
  }
  return live;
}

constexpr std::uint32_t SquaresOf(std::uint32_t cells, std::uint32_t side) {
  return static_cast<std::uint32_t>((std::uint64_t{cells} + side - 1) / side);
}

}  // namespace

void PostPieces(ConversionPool& pool, std::function<bool()> piece) {
  pool.Post([&pool, piece = std::move(piece)]() mutable {
    if (piece()) PostPieces(pool, std::move(piece));
  });
}

Result<life::Board> ReadCells(const life::DeviceCells& cells, const formats::Region& region) {
  const std::uint32_t first = region.x / kCellsPerWord;
  const std::uint64_t end = std::uint64_t{region.x} + region.width;
  const auto words = static_cast<std::uint32_t>((end + kCellsPerWord - 1) / kCellsPerWord - first);
  // As wide as the words, but for the padding of the board's last one.
  const std::uint64_t width = std::min<std::uint64_t>(std::uint64_t{words} * kCellsPerWord,
                                                      cells.width() - first * kCellsPerWord);
  life::Board block = life::Board::Empty(static_cast<std::uint32_t>(width), region.height);
  const auto read = cells.Read(
      {.y = region.y, .rows = region.height, .word = first, .words = words}, block.words.data());
  if (!read) return tl::unexpected(DeviceFailed(read.error()));
  const formats::Region inside{region.x % kCellsPerWord, 0, region.width, region.height};
  if (inside == formats::WholeBoard(block)) return block;
  return Crop(block, inside);
}

void HashCells(ConversionPool& pool, std::shared_ptr<const life::DeviceCells> cells,
               std::function<void(Result<std::uint64_t>)> done) {
  struct Work {
    std::shared_ptr<const life::DeviceCells> cells;
    life::Hasher hasher;
    std::function<void(Result<std::uint64_t>)> done;
    std::uint32_t y = 0;
  };
  auto work = std::make_shared<Work>(Work{cells, life::Hasher(cells->width()), std::move(done)});
  PostPieces(pool, [work] {
    const life::DeviceCells& from = *work->cells;
    const std::uint32_t rows =
        std::min(from.height() - work->y, RowsOfBand(life::WordsPerRow(from.width()) * 8));
    const auto band = ReadCells(from, {0, work->y, from.width(), rows});
    if (!band) {
      work->done(tl::unexpected(band.error()));
      return false;
    }
    work->hasher.AddRows(band->words);
    work->y += rows;
    if (work->y < from.height()) return true;
    work->done(work->hasher.Result());
    return false;
  });
}

DensityPicture::DensityPicture(const formats::Region& region, std::uint32_t cell)
    : region_(region),
      cell_(cell),
      columns_(SquaresOf(region.width, cell)),
      rows_(SquaresOf(region.height, cell)),
      live_(columns_) {
  density_.reserve(std::size_t{columns_} * rows_);
}

Result<bool> DensityPicture::MakeBand(const life::DeviceCells& cells) {
  const std::uint32_t square_height = std::min(cell_, region_.height - y_ / cell_ * cell_);
  const std::uint32_t left = square_height - y_ % cell_;
  const std::uint64_t row_words = life::WordsPerRow(region_.width);
  const std::uint32_t rows = std::min(left, RowsOfBand(row_words * sizeof(std::uint64_t)));
  const auto band = ReadCells(cells, {region_.x, region_.y + y_, region_.width, rows});
  if (!band) return tl::unexpected(band.error());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::uint64_t c = 0; c < columns_; ++c)
      live_[c] += LiveCells(band->words.data() + i * row_words, c * cell_,
                            std::min<std::uint64_t>((c + 1) * cell_, region_.width));
  }
  y_ += rows;
  if (rows == left) EndRow(square_height);
  return y_ < region_.height;
}

void DensityPicture::EndRow(std::uint64_t square_height) {
  for (std::uint64_t c = 0; c < columns_; ++c) {
    const std::uint64_t square =
        std::min<std::uint64_t>(cell_, region_.width - c * cell_) * square_height;
    density_.push_back(static_cast<char>((255 * live_[c] + square - 1) / square));
    live_[c] = 0;
  }
}

namespace {

// Asks for both at once, so that both are answered at one end of a chunk; where one fell between the two, asks again.
class FactsJoin : public std::enable_shared_from_this<FactsJoin> {
 public:
  FactsJoin(boards::BoardStore& store, std::string name, life::FactSet set,
            boards::BoardStore::Done<PinnedFacts> done)
      : store_(store), name_(std::move(name)), set_(set), done_(std::move(done)) {}

  void Ask() {
    store_.Pin(name_, [self = shared_from_this()](Result<boards::PinnedBoard> pin) {
      self->Take([&] { self->pin_ = std::move(pin); });
    });
    store_.CountFacts(name_, set_, [self = shared_from_this()](Result<boards::BoardFacts> facts) {
      self->Take([&] { self->facts_ = std::move(facts); });
    });
  }

 private:
  template <class Keep>
  void Take(Keep keep) {
    Result<PinnedFacts> both;
    {
      const batching::MutexLock lock(mutex_);
      keep();
      if (!pin_ || !facts_) return;
      both = Both();
      pin_.reset();
      facts_.reset();
    }
    constexpr int kMostTries = 1000;
    if (both && both->board.generation != both->facts.generation && ++tries_ < kMostTries) {
      Ask();
    } else {
      done_(std::move(both));
    }
  }

  Result<PinnedFacts> Both() GPUSIM_REQUIRES(mutex_) {
    if (!*pin_) return tl::unexpected(pin_->error());
    if (!*facts_) return tl::unexpected(facts_->error());
    return PinnedFacts{**pin_, **facts_};
  }

  boards::BoardStore& store_;
  const std::string name_;
  const life::FactSet set_;
  const boards::BoardStore::Done<PinnedFacts> done_;
  int tries_ = 0;  // of whoever brings the second of the two
  batching::Mutex mutex_;
  std::optional<Result<boards::PinnedBoard>> pin_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<Result<boards::BoardFacts>> facts_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace

void PinWithFacts(boards::BoardStore& store, const std::string& name, life::FactSet set,
                  boards::BoardStore::Done<PinnedFacts> done) {
  std::make_shared<FactsJoin>(store, name, set, std::move(done))->Ask();
}

}  // namespace gpusim::server
