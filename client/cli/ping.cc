#include "client/cli/ping.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/text.h"
#include "client/cli/values.h"

namespace gpusim::cli {
namespace {

// Round trips in microseconds, the first one apart because it opens the connection.
struct RoundTrips {
  double first_us = 0;
  std::vector<double> sorted_us;  // all but the first, unless it is the only one

  double Least() const { return sorted_us.front(); }
  double Median() const { return sorted_us[sorted_us.size() / 2]; }
  double Most() const { return sorted_us.back(); }
};

std::string Microseconds(double us) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", us);
  return text;
}

std::string Show(const RoundTrips& trips, std::uint64_t count, Format format) {
  const std::string first = Microseconds(trips.first_us);
  const std::string least = Microseconds(trips.Least());
  const std::string median = Microseconds(trips.Median());
  const std::string most = Microseconds(trips.Most());
  switch (format) {
    case Format::kJson:
      return "{\n \"count\": " + std::to_string(count) + ",\n \"firstUs\": " + first +
             ",\n \"minUs\": " + least + ",\n \"medianUs\": " + median + ",\n \"maxUs\": " + most +
             "\n}\n";
    case Format::kCsv:
      return CsvLine({"count", "first_us", "min_us", "median_us", "max_us"}) +
             CsvLine({std::to_string(count), first, least, median, most});
    case Format::kTable:
      break;
  }
  return std::to_string(count) + " answers; first, with connecting, " + first + " us; then least " +
         least + " us, median " + median + " us, most " + most + " us\n";
}

class Ping : public Command {
 public:
  explicit Ping(CLI::App& app) {
    app.add_option("--count", count_text_, "How many, one after another. 10");
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (count_text_.empty()) return {};
    const auto count = ParseCount(count_text_);
    if (!count) return WrongUsage("--count '" + count_text_ + "' " + count.error());
    constexpr std::uint64_t kMost = 10'000'000;
    if (*count < 1 || *count > kMost) {
      return WrongUsage("--count '" + count_text_ + "' is not from 1 to 10000000");
    }
    count_ = *count;
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    using Clock = std::chrono::steady_clock;
    RoundTrips trips;
    for (std::uint64_t i = 0; i < count_; ++i) {
      const auto begin = Clock::now();
      const auto answer = client.Ping({}, options);
      if (!answer) return tl::unexpected(Report(answer.error()));
      const double us = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      if (i == 0) trips.first_us = us;
      if (i > 0 || count_ == 1) trips.sorted_us.push_back(us);
    }
    std::sort(trips.sorted_us.begin(), trips.sorted_us.end());
    return Output{Show(trips, count_, settings.format), ""};
  }

 private:
  std::string count_text_;
  std::uint64_t count_ = 10;
};

}  // namespace

std::unique_ptr<Command> MakePing(CLI::App& app) { return std::make_unique<Ping>(app); }

}  // namespace gpusim::cli
