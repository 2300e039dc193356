#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/file_bytes.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_options.h"
#include "client/cli/raw_rows.h"

namespace gpusim::cli {
namespace {

class LifeCreate : public Command {
 public:
  explicit LifeCreate(CLI::App& app) : random_(app), times_(app, "1h") {
    app.add_option("board", name_, "The new board's name; the server makes one else");
    app.add_option("--topology", topology_, "torus:WxH or plane:WxH. The pattern file's");
    app.add_option(
        "--from", from_,
        "A pattern file, or a .raw of the topology's size, which is streamed; - is stdin");
    app.add_option("--rule", rule_, "B36/S23 and the like. The file's, else B3/S23");
    app.add_option("--at", at_, "X,Y of the pattern's top left cell. The file's, else centred");
    app.add_option("--generation", generation_, "That the cells count as. The file's, else 0");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    header_.set_name(name_);
    header_.set_topology(topology_);
    header_.set_rule(rule_);
    const auto generation = ReadValue("--generation", generation_, ParseCount);
    if (!generation) return tl::unexpected(generation.error());
    header_.set_generation(generation->value_or(0));
    if (auto filled = times_.Fill(header_); !filled) return filled;
    const auto at = ReadValue("--at", at_, ParseOffset);
    if (!at) return tl::unexpected(at.error());
    if (*at) {
      header_.mutable_at()->set_x((*at)->x);
      header_.mutable_at()->set_y((*at)->y);
    }
    return ReadSource();
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto made = client.boards().Create(std::move(header_), rows_ ? &*rows_ : nullptr,
                                             rows_ ? WithTimeout(settings, options) : options);
    if (!made) return tl::unexpected(Report(made.error()));
    return ShowNotedBoard(settings, *made);
  }

 private:
  tl::expected<void, Failure> ReadSource() {
    auto random = random_.Read();
    if (!random) return tl::unexpected(std::move(random.error()));
    if (*random && !from_.empty())
      return WrongUsage("--random and --from are two boards; pass one");
    const bool raw = from_.ends_with(".raw");
    if (header_.has_at() && (from_.empty() || raw))
      return WrongUsage("--at is for a pattern file; pass --from glider.rle");
    if (*random) *header_.mutable_random() = **random;
    if (raw) return OpenRaw();
    const bool sized = SizeOfTopology(topology_).has_value();
    if (from_.empty() && !sized)
      return WrongUsage("--topology is missing; pass torus:WxH or plane:WxH");
    if (from_.empty()) return {};
    auto bytes = ReadFile(from_);
    if (!bytes) return Fail(kExitFailed, std::move(bytes.error()));
    header_.set_pattern(std::move(*bytes));
    return {};
  }

  tl::expected<void, Failure> OpenRaw() {
    const auto size = SizeOfTopology(topology_);
    if (!size)
      return WrongUsage(
          "--from a .raw file needs its size; pass --topology torus:WxH or plane:WxH");
    auto rows = OpenRawRows(from_, size->width, size->height);
    if (!rows) return Fail(kExitFailed, std::move(rows.error()));
    rows_ = std::move(*rows);
    header_.set_streamed(true);
    return {};
  }

  RandomOptions random_;
  TimesOptions times_;
  std::string name_;
  std::string topology_;
  std::string from_;
  std::string rule_;
  std::string at_;
  std::string generation_;
  v1::CreateBoardHeader header_;
  std::optional<StreamedRows> rows_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeCreate(CLI::App& app) { return std::make_unique<LifeCreate>(app); }

}  // namespace gpusim::cli
