#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeDelete : public Command {
 public:
  explicit LifeDelete(CLI::App& app) : board_(app, "board") {
    app.add_flag("--snapshot", snapshot_, "It is a snapshot's name, not a board's");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override { return board_.Check(); }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    if (snapshot_) {
      v1::DeleteSnapshotRequest request;
      request.set_snapshot(board_.name());
      return Show(settings, client.boards().DeleteSnapshot(std::move(request), options));
    }
    v1::DeleteBoardRequest request;
    request.set_name(board_.name());
    return Show(settings, client.boards().Delete(std::move(request), options));
  }

 private:
  // There is nothing to tell but that it is done.
  template <class Reply>
  tl::expected<Output, Failure> Show(const Settings& settings, const Result<Reply>& reply) const {
    if (!reply) return tl::unexpected(Report(reply.error()));
    if (settings.format == Format::kJson) return Output{ToJson(*reply), ""};
    return Output{"", Printable(board_.name()) + " is deleted\n"};
  }

  NameOption board_;
  bool snapshot_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeLifeDelete(CLI::App& app) { return std::make_unique<LifeDelete>(app); }

}  // namespace gpusim::cli
