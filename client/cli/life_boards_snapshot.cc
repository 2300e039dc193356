#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeSnapshot : public Command {
 public:
  explicit LifeSnapshot(CLI::App& app) : board_(app, "board") {
    app.add_option("snapshot", snapshot_, "Its name. BOARD-GENERATION");
    app.add_flag("--replace", replace_, "Overwrite one of that name");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    request_.set_name(board_.name());
    request_.set_snapshot(snapshot_);
    request_.set_replace(replace_);
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto reply = client.boards().Snapshot(request_, options);
    if (!reply) return tl::unexpected(Report(reply.error()));
    switch (settings.format) {
      case Format::kJson:
        return Output{ToJson(*reply), ""};
      case Format::kCsv:
        return Output{SnapshotsCsv({reply->snapshot()}), ""};
      case Format::kTable:
        break;
    }
    return Output{SnapshotTable(reply->snapshot()), ""};
  }

 private:
  NameOption board_;
  std::string snapshot_;
  bool replace_ = false;
  v1::SnapshotBoardRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeSnapshot(CLI::App& app) {
  return std::make_unique<LifeSnapshot>(app);
}

}  // namespace gpusim::cli
