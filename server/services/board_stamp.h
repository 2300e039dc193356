// Rectangles of cells that are laid on a board, whatever they come from; read a band of rows at a time, so that
// a board larger than the host's memory can be made and written.
//
// Read is thread-safe, and never blocks but for the work.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/formats/pattern.h"
#include "kernels/life.h"
#include "server/boards/board_store.h"

namespace gpusim::server {

class BoardStamp final : public boards::StampRows {
 public:
  explicit BoardStamp(life::Board board) : board_(std::move(board)) {}
  std::uint32_t width() const override { return board_.width; }
  std::uint32_t height() const override { return board_.height; }
  boards::Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const override;

 private:
  const life::Board board_;
};

// The cells of a pattern within a box that holds all of the live ones.
class PatternStamp final : public boards::StampRows {
 public:
  // Precondition: the sides are 1 to formats::kMaxExtent.
  PatternStamp(std::vector<formats::CellRun> runs, const formats::Box& box);
  std::uint32_t width() const override { return static_cast<std::uint32_t>(box_.width); }
  std::uint32_t height() const override { return static_cast<std::uint32_t>(box_.height); }
  boards::Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const override;

 private:
  const std::vector<formats::CellRun> runs_;  // by row
  const formats::Box box_;
};

// Somebody else's stamp, until it is revoked: a write that still waits then does nothing.
class RevocableStamp final : public boards::StampRows {
 public:
  explicit RevocableStamp(std::shared_ptr<const boards::StampRows> stamp)
      : stamp_(std::move(stamp)) {}
  void Revoke() { revoked_ = true; }

  std::uint32_t width() const override { return stamp_->width(); }
  std::uint32_t height() const override { return stamp_->height(); }
  boards::Result<void> Read(std::uint32_t y, std::uint32_t rows, std::uint64_t* out) const override;

 private:
  const std::shared_ptr<const boards::StampRows> stamp_;
  std::atomic<bool> revoked_ = false;
  mutable std::atomic<bool> begun_ = false;  // too late to revoke it
};

// Rows [y, y + rows) of a board of that shape that is dead but for the stamp at `corner`, into `out`, which is
// sized for it. On a torus the stamp wraps. Preconditions: the stamp is not larger than the board; the corner is
// a cell of the board, and on a plane the stamp lies within it.
boards::Result<void> LayStamp(const boards::StampRows& stamp, const formats::Cell& corner,
                              const boards::BoardShape& shape, std::uint32_t y, std::uint32_t rows,
                              std::vector<std::uint64_t>& out);

}  // namespace gpusim::server
