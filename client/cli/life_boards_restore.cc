#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeRestore : public Command {
 public:
  explicit LifeRestore(CLI::App& app) : snapshot_(app, "snapshot") {
    app.add_option("board", new_name_, "The new board's name. That of the snapshot's board");
    app.add_option("--lease", lease_, "1h, none. 1h");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = snapshot_.Check(); !named) return named;
    request_.set_snapshot(snapshot_.name());
    request_.set_new_name(new_name_);
    const auto lease = ReadValue("--lease", lease_, ParseLease);
    if (!lease) return tl::unexpected(lease.error());
    if (*lease) request_.set_lease_s(**lease);
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto reply = client.boards().Restore(request_, options);
    if (!reply) return tl::unexpected(Report(reply.error()));
    return ShowBoard(settings, *reply);
  }

 private:
  NameOption snapshot_;
  std::string new_name_;
  std::string lease_;
  v1::RestoreBoardRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeRestore(CLI::App& app) {
  return std::make_unique<LifeRestore>(app);
}

}  // namespace gpusim::cli
