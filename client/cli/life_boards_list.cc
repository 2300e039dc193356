#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"

namespace gpusim::cli {
namespace {

class LifeList : public Command {
 public:
  explicit LifeList(CLI::App&) {}

  tl::expected<void, Failure> Prepare(const Settings&) override { return {}; }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    v1::ListBoardsRequest request;
    v1::ListBoardsResponse all;
    do {
      const auto page = client.boards().List(request, options);
      if (!page) return tl::unexpected(Report(page.error()));
      for (const v1::Board& board : page->boards()) *all.add_boards() = board;
      all.set_memory_bytes(page->memory_bytes());
      all.set_max_memory_bytes(page->max_memory_bytes());
      request.set_page_token(page->next_page_token());
    } while (!request.page_token().empty());
    const std::vector<v1::Board> boards(all.boards().begin(), all.boards().end());
    switch (settings.format) {
      case Format::kJson:
        return Output{ToJson(all), ""};
      case Format::kCsv:
        return Output{BoardsCsv(boards), ""};
      case Format::kTable:
        break;
    }
    return Output{BoardsTable(boards), std::to_string(boards.size()) + " boards, " +
                                           BytesText(all.memory_bytes()) + " of " +
                                           BytesText(all.max_memory_bytes()) + '\n'};
  }
};

}  // namespace

std::unique_ptr<Command> MakeLifeList(CLI::App& app) { return std::make_unique<LifeList>(app); }

}  // namespace gpusim::cli
