#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeUpdate : public Command {
 public:
  explicit LifeUpdate(CLI::App& app) : board_(app, "board"), times_(app, "As it is") {}

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    if (!times_.given()) return WrongUsage("nothing to change; pass --lease or --autosave");
    request_.set_name(board_.name());
    return times_.Fill(request_);
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto reply = client.boards().Update(request_, options);
    if (!reply) return tl::unexpected(Report(reply.error()));
    return ShowBoard(settings, *reply);
  }

 private:
  NameOption board_;
  TimesOptions times_;
  v1::UpdateBoardRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeUpdate(CLI::App& app) { return std::make_unique<LifeUpdate>(app); }

}  // namespace gpusim::cli
