#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeStop : public Command {
 public:
  explicit LifeStop(CLI::App& app) : board_(app, "board") {}

  tl::expected<void, Failure> Prepare(const Settings&) override { return board_.Check(); }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    v1::StopBoardRequest request;
    request.set_name(board_.name());
    const auto reply = client.boards().Stop(std::move(request), options);
    if (!reply) return tl::unexpected(Report(reply.error()));
    return ShowBoard(settings, *reply);
  }

 private:
  NameOption board_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeStop(CLI::App& app) { return std::make_unique<LifeStop>(app); }

}  // namespace gpusim::cli
