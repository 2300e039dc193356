// The pattern file's bytes go to the server as they are, and the board comes back in the format of
// the file to write: the client reads and writes no pattern format itself.
#include <string>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/file_bytes.h"
#include "client/cli/json.h"
#include "client/cli/life_options.h"
#include "client/cli/life_output.h"
#include "client/cli/life_report.h"
#include "client/cli/life_step.h"
#include "client/cli/output_file.h"

namespace gpusim::cli {
namespace {

// False when the topology says that no picture fits. "plane:auto" and what the file says are found
// out later.
bool PictureMayFit(const std::string& topology, const Terminal& terminal) {
  const auto size = SizeOfTopology(topology);
  return !size || PictureFits(size->width, size->height, terminal);
}

class PatternStep : public Command {
 public:
  PatternStep(CLI::App& app, const StepOptions& step) : random_(app), output_(app), step_(step) {
    app.add_option("--pattern", pattern_, "RLE, .cells or Life 1.05/1.06 file; - is stdin");
    app.add_option("--rule", rule_, "B36/S23 and the like. The file's, else B3/S23");
    app.add_option("--topology", topology_,
                   "torus:WxH, plane:WxH or plane:auto. The file's, else plane:auto");
    app.add_option("--at", at_, "X,Y of the pattern's top left cell. The file's, else centred");
    app.add_flag("--picture", picture_, "Draw the board in any case, as text when piped");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (pattern_.empty() && !random_.given()) {
      return WrongUsage(
          "--pattern is missing; pass a file, - for standard input, --random with --topology, or "
          "the name of a board");
    }
    if (!step_.generations())
      return WrongUsage("--generations is missing; pass a number such as --generations 100");
    request_.set_generations(*step_.generations());
    request_.set_facts_every(step_.facts_every());
    step_.run().Fill(request_);
    if (auto placed = ReadPlace(); !placed) return placed;
    if (auto chosen = ChooseFormat(settings); !chosen) return chosen;
    ChoosePicture(settings);
    request_.set_rule(rule_);
    request_.set_topology(topology_);
    return ReadSource();
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
  tl::expected<void, Failure> ReadPlace() {
    const auto at = ReadValue("--at", at_, ParseOffset);
    if (!at) return tl::unexpected(at.error());
    if (!*at) return {};
    request_.mutable_at()->set_x((*at)->x);
    request_.mutable_at()->set_y((*at)->y);
    return {};
  }

  tl::expected<void, Failure> ReadSource() {
    auto random = random_.Read();
    if (!random) return tl::unexpected(std::move(random.error()));
    if (!*random) {
      auto bytes = ReadFile(pattern_);
      if (!bytes) return Fail(kExitFailed, std::move(bytes.error()));
      request_.set_pattern(std::move(*bytes));
      return {};
    }
    if (!pattern_.empty()) return WrongUsage("--random and --pattern are two boards; pass one");
    if (!at_.empty()) return WrongUsage("--at is for a pattern; --random fills the whole board");
    if (!SizeOfTopology(topology_))
      return WrongUsage("--random needs a size; pass --topology torus:64x64 or plane:64x64");
    *request_.mutable_random() = **random;
    return {};
  }

  tl::expected<void, Failure> ChooseFormat(const Settings& settings) {
    if (auto read = output_.Read(settings, /*json_has_board=*/true); !read) return read;
    request_.set_output_format(output_.format().value_or(v1::OUTPUT_FORMAT_UNSPECIFIED));
    if (picture_ && (output_.format() || settings.format != Format::kTable)) {
      return WrongUsage("--picture goes with a plain table; leave out --output and --format");
    }
    return {};
  }

  // A picture is drawn from a packed board, and a call brings back one format.
  void ChoosePicture(const Settings& settings) {
    if (picture_) {
      shown_ = Picture::kAlways;
    } else if (settings.terminal.is_terminal && settings.format == Format::kTable &&
               output_.path().empty() && PictureMayFit(topology_, settings.terminal)) {
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
        output.out = StepTable(step, step_.run().facts(), shown_, settings.terminal);
        break;
      case Format::kJson:
        output.out = ToJson(step);
        break;
      case Format::kCsv:
        output.out = StepCsv(step, step_.run().facts());
        break;
    }
    if (output_.path().empty()) return output;
    if (auto written = WriteBoard(step, settings.console); !written)
      return Fail(kExitFailed, std::move(written.error()));
    // What the board does not take of stdout goes to stderr.
    if (output_.path() == "-") output.err = std::exchange(output.out, "");
    return output;
  }

  tl::expected<void, std::string> WriteBoard(const v1::StepResponse& step,
                                             const Console& console) const {
    const v1::PackedBoard& board = step.packed();
    if (output_.png()) {
      return WritePng(output_.path(),
                      {.width = board.width(), .height = board.height(), .scale = output_.scale()},
                      board.rows(), console);
    }
    return WriteFile(output_.path(), step.has_packed() ? board.rows() : step.file(), console);
  }

  RandomOptions random_;
  BoardOutput output_;
  const StepOptions& step_;
  std::string pattern_;
  std::string rule_;
  std::string topology_;
  std::string at_;
  bool picture_ = false;
  Picture shown_ = Picture::kNone;
  v1::StepRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakePatternStep(CLI::App& app, const StepOptions& step) {
  return std::make_unique<PatternStep>(app, step);
}

}  // namespace gpusim::cli
