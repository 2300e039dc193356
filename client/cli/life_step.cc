// The pattern file's bytes go to the server as they are, and the board comes back in the format of
// the file to write: the client reads and writes no pattern format itself.
#include "client/cli/life_step.h"

#include <cstdio>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/file_bytes.h"
#include "client/cli/json.h"
#include "client/cli/life_report.h"
#include "client/cli/values.h"

namespace gpusim::cli {
namespace {

struct FormatName {
  std::string_view name;
  v1::OutputFormat format;
};
constexpr FormatName kExtensions[] = {
    {".rle", v1::OUTPUT_FORMAT_RLE},         {".cells", v1::OUTPUT_FORMAT_CELLS},
    {".lif", v1::OUTPUT_FORMAT_LIFE106},     {".life", v1::OUTPUT_FORMAT_LIFE106},
    {".life106", v1::OUTPUT_FORMAT_LIFE106}, {".raw", v1::OUTPUT_FORMAT_PACKED}};
constexpr FormatName kFormats[] = {{"rle", v1::OUTPUT_FORMAT_RLE},
                                   {"cells", v1::OUTPUT_FORMAT_CELLS},
                                   {"life106", v1::OUTPUT_FORMAT_LIFE106},
                                   {"raw", v1::OUTPUT_FORMAT_PACKED}};

// False when the topology says that no picture fits. "plane:auto" and what the file says are found
// out later.
bool PictureMayFit(const std::string& topology, const Terminal& terminal) {
  unsigned long long width = 0;
  unsigned long long height = 0;
  const auto colon = topology.find(':');
  if (colon == std::string::npos) return true;
  if (std::sscanf(topology.c_str() + colon + 1, "%llux%llu", &width, &height) != 2) return true;
  return PictureFits(width, height, terminal);
}

class LifeStep : public Command {
 public:
  explicit LifeStep(CLI::App& app) {
    app.add_option("--pattern", pattern_, "RLE, .cells or Life 1.05/1.06 file; - is stdin");
    app.add_option("--generations", generations_, "To run: 100, 1e6");
    app.add_option("--rule", rule_, "B36/S23 and the like. The file's, else B3/S23");
    app.add_option("--topology", topology_,
                   "torus:WxH, plane:WxH or plane:auto. The file's, else plane:auto");
    app.add_option("--at", at_, "X,Y of the pattern's top left cell. The file's, else centred");
    app.add_option("--output", output_,
                   "Write the board to a .rle .cells .lif .life106 or .raw file; - is stdout");
    app.add_option("--output-format", output_format_,
                   "rle, cells, life106 or raw. By the extension of --output, for - rle");
    app.add_flag("--picture", picture_, "Draw the board in any case, as text when piped");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (pattern_.empty()) {
      return WrongUsage("--pattern is missing; pass a file, or - for standard input");
    }
    if (auto counted = ReadNumbers(); !counted) return counted;
    if (auto chosen = ChooseFormat(settings); !chosen) return chosen;
    ChoosePicture(settings);
    request_.set_rule(rule_);
    request_.set_topology(topology_);
    auto bytes = ReadFile(pattern_);
    if (!bytes) return Fail(kExitFailed, std::move(bytes.error()));
    request_.set_pattern(std::move(*bytes));
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    auto step = client.Step(request_, options);
    if (!step && shown_ == Picture::kIfItFits && BoardTooLarge(step.error())) {
      // Nobody asked for the board by name; the facts are what counts.
      request_.set_output_format(v1::OUTPUT_FORMAT_UNSPECIFIED);
      step = client.Step(request_, options);
    }
    if (!step) return tl::unexpected(Report(step.error()));
    return Show(settings, *step);
  }

 private:
  tl::expected<void, Failure> ReadNumbers() {
    if (generations_.empty()) {
      return WrongUsage("--generations is missing; pass a number such as --generations 100");
    }
    const auto generations = ParseCount(generations_);
    if (!generations) {
      return WrongUsage("--generations '" + generations_ + "' " + generations.error());
    }
    request_.set_generations(*generations);
    if (at_.empty()) return {};
    const auto at = ParseOffset(at_);
    if (!at) return WrongUsage("--at '" + at_ + "' " + at.error());
    request_.mutable_at()->set_x(at->x);
    request_.mutable_at()->set_y(at->y);
    return {};
  }

  tl::expected<void, Failure> ChooseFormat(const Settings& settings) {
    std::optional<v1::OutputFormat> format;
    if (!output_format_.empty()) {
      for (const FormatName& known : kFormats) {
        if (known.name == output_format_) format = known.format;
      }
      if (!format) {
        return WrongUsage("--output-format '" + output_format_ +
                          "' is unknown; pass rle, cells, life106 or raw");
      }
      if (output_.empty() && settings.format != Format::kJson) {
        return WrongUsage(
            "--output-format needs a place for the board; pass --output or --format json");
      }
    } else if (output_ == "-") {
      format = v1::OUTPUT_FORMAT_RLE;
    } else if (!output_.empty()) {
      for (const FormatName& known : kExtensions) {
        if (output_.ends_with(known.name)) format = known.format;
      }
      if (!format) {
        return WrongUsage("--output '" + output_ +
                          "' has no known extension; use .rle, .cells, .lif, .life106 or .raw, or "
                          "pass --output-format");
      }
    }
    if (output_ == "-" && settings.format != Format::kTable) {
      return WrongUsage(
          "--output - and --format would both write to stdout; pass --format json with "
          "--output-format to have the board in the JSON");
    }
    request_.set_output_format(format.value_or(v1::OUTPUT_FORMAT_UNSPECIFIED));
    if (picture_ && (format || settings.format != Format::kTable)) {
      return WrongUsage("--picture goes with a plain table; leave out --output and --format");
    }
    return {};
  }

  // A picture is drawn from a packed board, and a call brings back one format.
  void ChoosePicture(const Settings& settings) {
    if (picture_) {
      shown_ = Picture::kAlways;
    } else if (settings.terminal.is_terminal && settings.format == Format::kTable &&
               output_.empty() && PictureMayFit(topology_, settings.terminal)) {
      shown_ = Picture::kIfItFits;
    }
    if (shown_ != Picture::kNone) request_.set_output_format(v1::OUTPUT_FORMAT_PACKED);
  }

  static bool BoardTooLarge(const Error& error) {
    if (error.code == StatusCode::kResourceExhausted) return !error.retry_after;
    if (error.code != StatusCode::kInvalidArgument) return false;
    for (const FieldViolation& violation : error.violations) {
      if (violation.field == "output_format") return true;
    }
    return false;
  }

  tl::expected<Output, Failure> Show(const Settings& settings, const v1::StepResponse& step) {
    Output output;
    switch (settings.format) {
      case Format::kTable:
        output.out = StepTable(step, shown_, settings.terminal);
        break;
      case Format::kJson:
        output.out = ToJson(step);
        break;
      case Format::kCsv:
        output.out = StepCsv(step);
        break;
    }
    if (output_.empty()) return output;
    const std::string& board = step.has_packed() ? step.packed().rows() : step.file();
    if (output_ == "-") {
      output.err = std::exchange(output.out, board);
    } else if (auto written = WriteFile(output_, board); !written) {
      return Fail(kExitFailed, std::move(written.error()));
    }
    return output;
  }

  std::string pattern_;
  std::string generations_;
  std::string rule_;
  std::string topology_;
  std::string at_;
  std::string output_;
  std::string output_format_;
  bool picture_ = false;
  Picture shown_ = Picture::kNone;
  v1::StepRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeStep(CLI::App& app) { return std::make_unique<LifeStep>(app); }

}  // namespace gpusim::cli
