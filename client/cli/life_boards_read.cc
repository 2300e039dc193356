// The cells go to the file as they come, so that a board of any size needs the memory of one
// message. Without a file, a small one is drawn.
#include <memory>
#include <optional>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/board_picture.h"
#include "client/cli/error_report.h"
#include "client/cli/life_board_report.h"
#include "client/cli/life_boards.h"
#include "client/cli/life_facts.h"
#include "client/cli/life_options.h"
#include "client/cli/life_output.h"
#include "client/cli/live_view.h"
#include "client/cli/output_file.h"

namespace gpusim::cli {
namespace {

constexpr std::uint64_t kMostDrawnBytes = std::uint64_t{4} << 20;

class LifeRead : public Command {
 public:
  explicit LifeRead(CLI::App& app) : board_(app, "board"), output_(app) {
    app.add_option("--region", region_, "X,Y,W,H of the cells to read. The whole board");
    app.add_option("--density", density_,
                   "For a PNG: a pixel for every square of so many cells a side, by its density");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (auto named = board_.Check(); !named) return named;
    request_.set_name(board_.name());
    const auto region = ReadValue("--region", region_, ParseRegion);
    if (!region) return tl::unexpected(region.error());
    if (*region) *request_.mutable_region() = **region;
    if (auto read = output_.Read(settings, /*json_has_board=*/false); !read) return read;
    if (output_.path().empty() && settings.format != Format::kTable)
      return WrongUsage("--format needs a place for the cells; pass --output");
    request_.set_output_format(output_.format().value_or(v1::OUTPUT_FORMAT_PACKED));
    if (density_.empty()) return {};
    if (!output_.png()) return WrongUsage("--density is for a .png; pass --output x.png");
    const auto cell = ParseCount(density_);
    constexpr std::uint64_t kMostCell = 65536;
    if (!cell || *cell < 2 || *cell > kMostCell)
      return WrongUsage("--density '" + Printable(density_) + "' is not from 2 to 65536");
    density_cell_ = static_cast<std::uint32_t>(*cell);
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const CallOptions bounded = WithTimeout(settings, options);
    if (output_.path().empty()) return Draw(settings, client, bounded);
    if (density_cell_ > 0) return WriteDensity(settings, client, bounded);
    return WriteCells(settings, client, bounded);
  }

 private:
  tl::expected<Output, Failure> WriteCells(const Settings& settings, ProtoClient& client,
                                           const CallOptions& options) {
    auto file = OutputFile::Open(output_.path(), settings.console);
    if (!file) return Fail(kExitFailed, std::move(file.error()));
    std::unique_ptr<PngWriter> png;
    std::string fault;
    std::uint64_t bytes = 0;
    Result<v1::ReadRegionHeader> header;
    {
      LiveView view(settings);
      std::uint64_t total = 0;
      const auto take = [&](const v1::ReadRegionResponse& part) {
        if (part.has_header()) {
          total = part.header().total_bytes();
          return !output_.png() || Begin(part.header().region(), *file, png, fault);
        }
        bytes += part.data().size();
        view.Draw("", ProgressBar(static_cast<double>(bytes) / static_cast<double>(total)) + "  " +
                          BytesText(bytes));
        if (png == nullptr) return file->Write(part.data());
        if (png->WriteRows(part.data())) return true;
        fault = "the board that came does not fit its size";
        return false;
      };
      header = client.boards().Read(request_, take, options);
    }
    const bool interrupted = options.cancellation && options.cancellation->cancelled();
    if (!header && (header.error().code != StatusCode::kCancelled || interrupted))
      return tl::unexpected(Report(header.error()));
    if (header && png != nullptr && !png->Finish()) fault = "rows are missing";
    // A full disk is the file's own fault, which it remembers.
    if (!fault.empty() && file->Write(""))
      return Fail(kExitFailed, "cannot write " + output_.path() + ": " + fault);
    if (auto written = file->Commit(); !written)
      return Fail(kExitFailed, std::move(written.error()));
    return Show(settings, *header);
  }

  bool Begin(const v1::Region& region, OutputFile& file, std::unique_ptr<PngWriter>& png,
             std::string& fault) const {
    const PngShape shape{
        .width = region.width(), .height = region.height(), .scale = output_.scale()};
    fault = region.width() == 0 || region.height() == 0 ? "there are no cells" : PngFault(shape);
    if (!fault.empty()) return false;
    png = std::make_unique<PngWriter>(
        shape, [&file](std::string_view bytes) { return file.Write(bytes); });
    return true;
  }

  // One frame of a watch.
  tl::expected<Output, Failure> WriteDensity(const Settings& settings, ProtoClient& client,
                                             const CallOptions& options) {
    v1::WatchBoardRequest request;
    request.set_name(request_.name());
    if (request_.has_region()) *request.mutable_region() = request_.region();
    request.set_density_cell(density_cell_);
    const auto frame = client.boards().Watch(
        request, [](const v1::WatchBoardResponse&) { return false; }, options);
    if (!frame) return tl::unexpected(Report(frame.error()));
    const v1::DensityFrame& density = frame->density();
    const PngShape shape{
        .width = density.columns(), .height = density.rows(), .bits = 8, .scale = output_.scale()};
    if (auto written = WritePng(output_.path(), shape, density.density(), settings.console);
        !written)
      return Fail(kExitFailed, std::move(written.error()));
    Output output;
    if (settings.format == Format::kJson) output.out = ToJson(frame->facts());
    if (settings.format == Format::kCsv)
      output.out = CsvLine(FactColumns({})) + CsvLine(FactValues(frame->facts(), {}));
    if (settings.format == Format::kTable) output.err = FactsTable({frame->facts()}, {});
    return output;
  }

  tl::expected<Output, Failure> Draw(const Settings& settings, ProtoClient& client,
                                     const CallOptions& options) {
    v1::PackedBoard board;
    bool too_large = false;
    const auto header = client.boards().Read(
        request_,
        [&](const v1::ReadRegionResponse& part) {
          if (part.has_header()) {
            board.set_width(part.header().region().width());
            board.set_height(part.header().region().height());
            too_large = part.header().total_bytes() > kMostDrawnBytes;
          }
          board.mutable_rows()->append(part.data());
          return !too_large;
        },
        options);
    if (too_large) return WrongUsage("the board is too large to draw; pass --output or --region");
    if (!header) return tl::unexpected(Report(header.error()));
    return Output{BoardPicture(board, settings.terminal.is_terminal && settings.terminal.utf8),
                  "generation " + std::to_string(header->generation()) + '\n'};
  }

  Output Show(const Settings& settings, const v1::ReadRegionHeader& header) const {
    Output output;
    const v1::Region& region = header.region();
    if (settings.format == Format::kJson) {
      output.out = ToJson(header);
    } else if (settings.format == Format::kCsv) {
      output.out = CsvLine({"board", "generation", "x", "y", "width", "height", "bytes"}) +
                   CsvLine({header.board().name(), std::to_string(header.generation()),
                            std::to_string(region.x()), std::to_string(region.y()),
                            std::to_string(region.width()), std::to_string(region.height()),
                            std::to_string(header.total_bytes())});
    } else {
      output.err = Printable(header.board().name()) + ", generation " +
                   std::to_string(header.generation()) + ", " + BoxText(region) + '\n';
    }
    return output;
  }

  NameOption board_;
  BoardOutput output_;
  std::string region_;
  std::string density_;
  std::uint32_t density_cell_ = 0;
  v1::ReadRegionRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeRead(CLI::App& app) { return std::make_unique<LifeRead>(app); }

}  // namespace gpusim::cli
