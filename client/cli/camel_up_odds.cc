#include "client/cli/camel_up_odds.h"

#include <string>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/odds_report.h"
#include "client/cli/position_options.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

class CamelUpOdds : public Command {
 public:
  explicit CamelUpOdds(CLI::App& app) : position_(app), outputs_(app), stream_(app) {
    app.add_option("--method", method_, "exact or monte-carlo. exact");
    app.add_option("--simulations", simulations_, "Of monte-carlo: 1e9");
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (auto filled = position_.Fill(*request_.mutable_position()); !filled) return filled;
    const auto outputs = outputs_.Read(settings.format);
    if (!outputs) return tl::unexpected(outputs.error());
    for (const v1::Output output : *outputs) request_.add_outputs(output);
    return ReadMethod();
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
  tl::expected<void, Failure> ReadMethod() {
    const auto stream = stream_.Read();
    if (!stream) return tl::unexpected(stream.error());
    if (method_ == "exact") {
      if (!simulations_.empty()) return WrongUsage("--simulations needs --method monte-carlo");
      if (*stream) return WrongUsage("--seed needs --method monte-carlo");
      return {};
    }
    if (method_ != "monte-carlo") {
      return WrongUsage("--method '" + Printable(method_) +
                        "' is unknown; pass exact or monte-carlo");
    }
    if (simulations_.empty()) {
      return WrongUsage("--method monte-carlo needs a number such as --simulations 1e9");
    }
    const auto simulations = ReadCount("--simulations", simulations_);
    if (!simulations) return tl::unexpected(simulations.error());
    request_.mutable_monte_carlo()->set_simulations(*simulations);
    if (*stream) *request_.mutable_monte_carlo()->mutable_stream() = **stream;
    return {};
  }

  PositionOptions position_;
  OutputOptions outputs_;
  StreamOptions stream_;
  std::string method_ = "exact";
  std::string simulations_;
  v1::GetOddsRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeCamelUpOdds(CLI::App& app) {
  return std::make_unique<CamelUpOdds>(app);
}

}  // namespace gpusim::cli
