#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_facts.h"
#include "client/cli/life_options.h"

namespace gpusim::cli {
namespace {

class LifeShow : public Command {
 public:
  explicit LifeShow(CLI::App& app) : board_(app, "board") {
    app.add_option("--facts", facts_, "Some of box,changes,digest,shape-digest,hash");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    request_.set_name(board_.name());
    const auto facts = ReadValue("--facts", facts_, ParseFacts);
    if (!facts) return tl::unexpected(facts.error());
    if (!*facts) return {};
    asked_ = **facts;
    for (const v1::Fact fact : asked_) request_.add_facts(fact);
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto reply = client.boards().Get(request_, options);
    if (!reply) return tl::unexpected(Report(reply.error()));
    if (settings.format == Format::kJson) return Output{ToJson(*reply), ""};
    if (settings.format == Format::kCsv && asked_.empty())
      return Output{BoardsCsv({reply->board()}), ""};
    if (settings.format == Format::kCsv)
      return Output{CsvLine(FactColumns(asked_)) + CsvLine(FactValues(reply->facts(), asked_)), ""};
    return Output{BoardTable(reply->board()) + '\n' + FactsTable({reply->facts()}, asked_), ""};
  }

 private:
  NameOption board_;
  std::string facts_;
  std::vector<v1::Fact> asked_;
  v1::GetBoardRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeShow(CLI::App& app) { return std::make_unique<LifeShow>(app); }

}  // namespace gpusim::cli
