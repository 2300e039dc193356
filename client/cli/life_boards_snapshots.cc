#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"

namespace gpusim::cli {
namespace {

class LifeSnapshots : public Command {
 public:
  explicit LifeSnapshots(CLI::App&) {}

  tl::expected<void, Failure> Prepare(const Settings&) override { return {}; }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    v1::ListSnapshotsRequest request;
    v1::ListSnapshotsResponse all;
    do {
      const auto page = client.boards().ListSnapshots(request, options);
      if (!page) return tl::unexpected(Report(page.error()));
      for (const v1::Snapshot& snapshot : page->snapshots()) *all.add_snapshots() = snapshot;
      all.set_state_bytes(page->state_bytes());
      all.set_max_state_bytes(page->max_state_bytes());
      request.set_page_token(page->next_page_token());
    } while (!request.page_token().empty());
    const std::vector<v1::Snapshot> snapshots(all.snapshots().begin(), all.snapshots().end());
    switch (settings.format) {
      case Format::kJson:
        return Output{ToJson(all), ""};
      case Format::kCsv:
        return Output{SnapshotsCsv(snapshots), ""};
      case Format::kTable:
        break;
    }
    return Output{SnapshotsTable(snapshots), std::to_string(snapshots.size()) + " snapshots; " +
                                                 BytesText(all.state_bytes()) + " of " +
                                                 BytesText(all.max_state_bytes()) + '\n'};
  }
};

}  // namespace

std::unique_ptr<Command> MakeLifeSnapshots(CLI::App& app) {
  return std::make_unique<LifeSnapshots>(app);
}

}  // namespace gpusim::cli
