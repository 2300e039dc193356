#include "client/cli/camel_up_odds.h"

#include <string>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/odds_report.h"

namespace gpusim::cli {
namespace {

struct OutputName {
  const char* name;
  v1::Output output;
};
constexpr OutputName kOutputs[] = {{"ranks", v1::OUTPUT_LEG_RANKS},
                                   {"pairs", v1::OUTPUT_LEG_PAIRS},
                                   {"landings", v1::OUTPUT_LANDINGS}};

class CamelUpOdds : public Command {
 public:
  explicit CamelUpOdds(CLI::App& app) {
    app.add_option("--edition", edition_, "1 (2014) or 2 (2018)");
    app.add_option("--position", position_,
                   "Camels by space, bottom to top: '1:BGO 2:Y 3:W'. First edition B G O Y W, "
                   "second r b g y p and the crazy w k");
    app.add_option("--tiles", tiles_, "Tiles by space, + oasis, - mirage: '6+ 8-'");
    app.add_option("--dice", dice_, "Dice still in the pyramid: 'BGO', * is the grey one. All");
    app.add_option("--outputs", outputs_, "Any of ranks,pairs,landings. ranks");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    v1::Position& position = *request_.mutable_position();
    if (edition_ == "1") {
      position.set_edition(v1::EDITION_FIRST);
    } else if (edition_ == "2") {
      position.set_edition(v1::EDITION_SECOND);
    } else if (edition_.empty()) {
      return WrongUsage("--edition is missing; pass --edition 1 or --edition 2");
    } else {
      return WrongUsage("--edition '" + edition_ + "' is unknown; pass --edition 1 or --edition 2");
    }
    if (position_.empty()) {
      return WrongUsage("--position is missing; pass one such as --position '1:BGO 2:Y 3:W'");
    }
    position.mutable_text()->set_stacks(position_);
    position.mutable_text()->set_tiles(tiles_);
    position.mutable_text()->set_dice(dice_);
    return ReadOutputs(settings.format);
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto odds = client.GetOdds(request_, options);
    if (!odds) return tl::unexpected(Report(odds.error()));
    switch (settings.format) {
      case Format::kJson:
        return Output{ToJson(*odds), ""};
      case Format::kCsv:
        return Output{OddsCsv(*odds), ""};
      case Format::kTable:
        break;
    }
    return Output{OddsTable(*odds, request_.position().edition(), settings.terminal), ""};
  }

 private:
  tl::expected<void, Failure> ReadOutputs(Format format) {
    std::size_t begin = 0;
    while (begin < outputs_.size()) {
      const std::size_t end = std::min(outputs_.find(',', begin), outputs_.size());
      const std::string name = outputs_.substr(begin, end - begin);
      bool known = false;
      for (const OutputName& output : kOutputs) {
        if (name != output.name) continue;
        request_.add_outputs(output.output);
        known = true;
      }
      if (!known) {
        return WrongUsage("--outputs '" + name + "' is unknown; pass any of ranks,pairs,landings");
      }
      begin = end + 1;
    }
    if (format == Format::kCsv && request_.outputs_size() > 1) {
      return WrongUsage("--outputs '" + outputs_ +
                        "' does not fit one CSV; pass one output, or --format json");
    }
    return {};
  }

  std::string edition_;
  std::string position_;
  std::string tiles_;
  std::string dice_;
  std::string outputs_;
  v1::GetOddsRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeCamelUpOdds(CLI::App& app) {
  return std::make_unique<CamelUpOdds>(app);
}

}  // namespace gpusim::cli
