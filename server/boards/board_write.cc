#include "server/boards/board_write.h"

#include <algorithm>
#include <utility>

#include "server/boards/bands.h"
#include "server/boards/board_names.h"

namespace gpusim::boards {
namespace {

constexpr life::Rule kStay{.birth = 0, .survive = 0x1ff};

tl::unexpected<BoardError> DeviceError(const DeviceFault& fault) {
  return Refuse(BoardError::Reason::kDevice, fault.what);
}

}  // namespace

BoardWrite::BoardWrite(BoardStore::WriteWishes wishes, const kinds::ResidentChunk& chunk,
                       BoardStore::Done<BoardStatus> done)
    : wishes_(std::move(wishes)), chunk_(chunk), done_(std::move(done)) {}

void BoardWrite::Start(const BoardState& board) {
  if (wishes_.if_generation.value_or(board.generation) != board.generation) {
    Fail({.reason = BoardError::Reason::kWrongGeneration,
          .message = "the board is at generation " + std::to_string(board.generation) +
                     ", not at if_generation " + std::to_string(*wishes_.if_generation)});
    return;
  }
  phase_ = wishes_.stamp == nullptr ? Phase::kFill : Phase::kCopy;
  if (phase_ == Phase::kFill) return;
  pieces_ = PiecesOf(board.shape.width, board.shape.height, wishes_.stamp->width(),
                     wishes_.stamp->height(), wishes_.x, wishes_.y);
}

WorkPlan BoardWrite::Plan(const BoardState& board, batching::TimePoint /*now*/) {
  if (phase_ == Phase::kStart && !error_) Start(board);
  if (error_ || phase_ == Phase::kDone) return {.what = WorkPlan::What::kEnd};
  if (phase_ == Phase::kCopy)
    return {.what = WorkPlan::What::kStep, .generations = 1, .cost = board.words()};
  if (phase_ == Phase::kStamp) return {.what = WorkPlan::What::kOwn, .cost = chunk_.word_steps / 4};
  return {.what = WorkPlan::What::kOwn, .cost = chunk_.word_steps};
}

bool BoardWrite::Begin(BoardState& board, const WorkPlan& plan, life::ResidentStep& step) {
  if (into_ == nullptr) {
    if (board.cells.writable_idle() == 0) return false;
    into_ = &board.cells.Idle(0);
  }
  if (plan.what != WorkPlan::What::kStep) return true;
  step.rule = kStay;
  step.from = &board.cells.current().cells();
  step.work[0] = into_;
  // One generation is one pass, which goes to work[0]: the other one is not written.
  step.work[1] = &board.cells.current().cells();
  return true;
}

void BoardWrite::Work() { worked_ = phase_ == Phase::kStamp ? StampNext() : FillNext(); }

Result<void> BoardWrite::StampNext() {
  const StampPiece& piece = pieces_[next_piece_++];
  const std::uint64_t words = life::WordsPerRow(wishes_.stamp->width());
  stamp_words_.resize(words * piece.block.rows);
  board_words_.resize(piece.block.size());
  if (auto read = wishes_.stamp->Read(piece.stamp_y, piece.block.rows, stamp_words_.data()); !read)
    return read;
  if (auto read = into_->Read(piece.block, board_words_.data()); !read)
    return DeviceError(read.error());
  Combine(piece, wishes_.mode, words, stamp_words_, board_words_);
  if (auto written = into_->Write(piece.block, board_words_.data()); !written)
    return DeviceError(written.error());
  return {};
}

Result<void> BoardWrite::FillNext() {
  const std::uint64_t rows =
      std::max<std::uint64_t>(1, chunk_.fill_words / life::WordsPerRow(into_->width()));
  const auto most =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(rows, into_->height() - next_row_));
  auto filled = into_->Fill(next_row_, most, wishes_.seed, wishes_.threshold);
  if (!filled) return DeviceError(filled.error());
  next_row_ += most;
  return {};
}

void BoardWrite::End(BoardState& board, const WorkPlan& plan, const StepResult& result,
                     batching::TimePoint /*now*/) {
  if (plan.what == WorkPlan::What::kOwn && !worked_ && !error_) error_ = worked_.error();
  if (error_) return;
  if (plan.what == WorkPlan::What::kStep) {
    phase_ = Phase::kStamp;
    // The engine says where the copy is.
    if (result.cells != into_) {
      Fail({.reason = BoardError::Reason::kDevice, .message = "the copy went astray"});
    }
    return;
  }
  const bool done =
      phase_ == Phase::kStamp ? next_piece_ == pieces_.size() : next_row_ == into_->height();
  if (!done) return;
  board.cells.SetCurrent(*into_);
  ++board.version;
  phase_ = Phase::kDone;
}

void BoardWrite::Fail(BoardError why) {
  if (phase_ != Phase::kDone) error_ = std::move(why);
}

void BoardWrite::Finish(const BoardStatus& board) {
  if (error_) {
    done_(tl::unexpected(*error_));
  } else {
    done_(board);
  }
}

}  // namespace gpusim::boards
