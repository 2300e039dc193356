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

class LifeWrite : public Command {
 public:
  explicit LifeWrite(CLI::App& app) : board_(app, "board"), random_(app) {
    app.add_option("--pattern", pattern_,
                   "A pattern file, or a .raw file with --size, which is streamed; - is stdin");
    app.add_option("--size", size_, "WxH of a raw file");
    app.add_flag("--clear", clear_, "Kill all cells of the board");
    app.add_option("--at", at_, "X,Y of the stamp's top left cell. Centred");
    app.add_option("--mode", mode_,
                   "or, copy or xor: how the stamp meets the cells. or; copy for a raw file");
    app.add_option("--if-generation", if_generation_, "Only if the board is at this generation");
    app.add_flag("--queue", queue_, "Wait for the run under way");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto named = board_.Check(); !named) return named;
    header_.set_name(board_.name());
    header_.set_queue(queue_);
    const auto only_at = ReadValue("--if-generation", if_generation_, ParseCount);
    if (!only_at) return tl::unexpected(only_at.error());
    if (*only_at) header_.set_if_generation(**only_at);
    if (auto placed = ReadPlace(); !placed) return placed;
    return ReadSource();
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto written = client.boards().Write(std::move(header_), rows_ ? &*rows_ : nullptr,
                                               rows_ ? WithTimeout(settings, options) : options);
    if (!written) return tl::unexpected(Report(written.error()));
    return ShowNotedBoard(settings, *written);
  }

 private:
  tl::expected<void, Failure> ReadPlace() {
    const auto at = ReadValue("--at", at_, ParseOffset);
    if (!at) return tl::unexpected(at.error());
    if (*at) {
      header_.mutable_at()->set_x((*at)->x);
      header_.mutable_at()->set_y((*at)->y);
    }
    if (mode_ == "or") {
      header_.set_mode(v1::WRITE_MODE_OR);
    } else if (mode_ == "copy") {
      header_.set_mode(v1::WRITE_MODE_COPY);
    } else if (mode_ == "xor") {
      header_.set_mode(v1::WRITE_MODE_XOR);
    } else if (!mode_.empty()) {
      return WrongUsage("--mode '" + Printable(mode_) + "' is unknown; pass or, copy or xor");
    }
    return {};
  }

  tl::expected<void, Failure> ReadSource() {
    auto random = random_.Read();
    if (!random) return tl::unexpected(std::move(random.error()));
    const int sources = (pattern_.empty() ? 0 : 1) + (clear_ ? 1 : 0) + (*random ? 1 : 0);
    if (sources != 1)
      return WrongUsage("one of --pattern, --clear and --random says what to write");
    if (pattern_.empty() && (!at_.empty() || !mode_.empty()))
      return WrongUsage("--clear and --random write the whole board; leave out --at and --mode");
    if (clear_) header_.set_clear(true);
    if (*random) *header_.mutable_random() = **random;
    if (pattern_.empty()) return {};
    if (!size_.empty()) return OpenRaw();
    if (pattern_.ends_with(".raw"))
      return WrongUsage("--pattern with a .raw file needs its size; pass --size WxH");
    auto bytes = ReadFile(pattern_);
    if (!bytes) return Fail(kExitFailed, std::move(bytes.error()));
    header_.set_pattern(std::move(*bytes));
    return {};
  }

  tl::expected<void, Failure> OpenRaw() {
    const auto size = ReadValue("--size", size_, ParseSize);
    if (!size) return tl::unexpected(size.error());
    auto rows = OpenRawRows(pattern_, (*size)->width, (*size)->height);
    if (!rows) return Fail(kExitFailed, std::move(rows.error()));
    rows_ = std::move(*rows);
    header_.mutable_streamed()->set_width((*size)->width);
    header_.mutable_streamed()->set_height((*size)->height);
    return {};
  }

  NameOption board_;
  RandomOptions random_;
  std::string pattern_;
  std::string size_;
  bool clear_ = false;
  std::string at_;
  std::string mode_;
  std::string if_generation_;
  bool queue_ = false;
  v1::WriteRegionHeader header_;
  std::optional<StreamedRows> rows_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeWrite(CLI::App& app) { return std::make_unique<LifeWrite>(app); }

}  // namespace gpusim::cli
