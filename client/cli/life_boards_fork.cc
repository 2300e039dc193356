#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeFork : public Command {
 public:
  explicit LifeFork(CLI::App& app) : board_(app, "board") {
    app.add_option("new-name", new_name_, "Of the copy; the server makes one else");
    app.add_option("--lease", lease_, "Of the copy: 1h, none. The board's");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    request_.set_name(board_.name());
    request_.set_new_name(new_name_);
    const auto lease = ReadValue("--lease", lease_, ParseLease);
    if (!lease) return tl::unexpected(lease.error());
    if (*lease) request_.set_lease_s(**lease);
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto reply = client.boards().Fork(request_, options);
    if (!reply) return tl::unexpected(Report(reply.error()));
    return ShowBoard(settings, *reply);
  }

 private:
  NameOption board_;
  std::string new_name_;
  std::string lease_;
  v1::ForkBoardRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeFork(CLI::App& app) { return std::make_unique<LifeFork>(app); }

}  // namespace gpusim::cli
