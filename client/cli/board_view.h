// A resident board as it changes: a picture that is drawn anew at a terminal, lines when piped.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include <gpusim/cancellation.h>
#include <tl/expected.hpp>

#include "client/cli/command.h"
#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

class BoardView {
 public:
  // `request` names the board and what of it to show; its density_cell is chosen for the terminal
  // unless it has one. All references outlive this.
  BoardView(const Settings& settings, ProtoClient& client, const CallOptions& options,
            v1::WatchBoardRequest request);

  // Until 'q', End, Ctrl-C, an error, or the board's end. The first two are good ends.
  tl::expected<void, Failure> Show();

  // From any thread: Show returns.
  void End();

 private:
  tl::expected<void, Failure> Watch();
  tl::expected<void, Failure> LearnSize();
  void ChooseCell();
  bool Take(const v1::WatchBoardResponse& frame);
  std::string Picture(const v1::WatchBoardResponse& frame) const;
  std::string Line(const v1::WatchBoardResponse& frame);
  void Restart(bool end);

  const Settings& settings_;
  ProtoClient& client_;
  const CallOptions& options_;
  v1::WatchBoardRequest request_;
  const bool drawn_;       // at a terminal
  const bool cell_given_;  // by the request
  std::uint32_t width_ = 0;
  std::uint32_t height_ = 0;
  Terminal terminal_;  // of its present size
  bool headed_ = false;
  int write_error_ = 0;

  std::mutex mutex_;    // guards all below
  Cancellation round_;  // of the call under way
  bool over_ = false;
  bool resized_ = false;
};

}  // namespace gpusim::cli
