#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/board_view.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"
#include "client/cli/position_options.h"
#include "client/cli/view_options.h"

namespace gpusim::cli {
namespace {

constexpr const char* kHelp =
    "At a terminal the board is drawn, q ends it. Piped, there is a line for every frame; with\n"
    "--format json one of JSON, with the densities if --cell says how fine.";

class LifeWatch : public Command {
 public:
  explicit LifeWatch(CLI::App& app) : board_(app, "board"), view_(app) {
    app.add_option("--rate", rate_, "Frames a second at most. 10");
    AddHelp(app, kHelp);
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    request_.set_name(board_.name());
    const auto rate = ReadRate(rate_);
    if (!rate) return tl::unexpected(rate.error());
    request_.set_frames_per_second(rate->value_or(0));
    return view_.Fill(request_);
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    BoardView view(settings, client, options, std::move(request_));
    if (auto shown = view.Show(); !shown) return tl::unexpected(std::move(shown.error()));
    return Output{};
  }

 private:
  NameOption board_;
  ViewOptions view_;
  std::string rate_;
  v1::WatchBoardRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeWatch(CLI::App& app) { return std::make_unique<LifeWatch>(app); }

}  // namespace gpusim::cli
