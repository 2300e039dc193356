#include "client/cli/status.h"

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/status_report.h"

namespace gpusim::cli {
namespace {

class Status : public Command {
 public:
  explicit Status(CLI::App& app) {
    app.add_flag("--limits", limits_, "Also the limits with their values and use");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override { return {}; }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto info = client.GetInfo({}, options);
    if (!info) return tl::unexpected(Report(info.error()));
    const auto statistics = client.GetStatistics({}, options);
    if (!statistics) return tl::unexpected(Report(statistics.error()));
    switch (settings.format) {
      case Format::kJson:
        return Output{MergeJson(ToJson(*info), ToJson(*statistics)), ""};
      case Format::kCsv:
        return Output{limits_ ? LimitsCsv(*info) : StatisticsCsv(*statistics), ""};
      case Format::kTable:
        break;
    }
    return Output{StatusTable(*info, *statistics, limits_), ""};
  }

 private:
  bool limits_ = false;
};

}  // namespace

std::unique_ptr<Command> MakeStatus(CLI::App& app) { return std::make_unique<Status>(app); }

}  // namespace gpusim::cli
