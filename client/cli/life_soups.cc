// Many random boards of one shape, as columns. A call takes as many as are answered in about a
// second, so that progress shows and no deadline comes near; soup k of all has the seed + k, however
// they are divided into calls.
#include "client/cli/life_soups.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/json.h"
#include "client/cli/life_facts.h"
#include "client/cli/life_options.h"
#include "client/cli/live_view.h"
#include "client/cli/position_options.h"
#include "client/life_messages.h"

namespace gpusim::cli {
namespace {

using std::chrono::steady_clock;

constexpr const char* kHelp =
    "Runs --count random boards until --until or --generations, each on its own, and tells how "
    "they\n"
    "ended: a table of periods, or with --format csv or json a line for each.";

constexpr std::uint64_t kMostBoards = 65536;                  // of a call
constexpr std::uint64_t kMostCells = std::uint64_t{1} << 30;  // rows padded to 64

std::string Hex(std::uint64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(value));
  return text;
}

template <class T>
T At(const std::vector<T>& column, std::size_t i) {
  return i < column.size() ? column[i] : T();
}

// One board of the columns as the facts of a board.
v1::BoardFacts FactsOf(const UniformResults& results, std::size_t i) {
  v1::BoardFacts facts;
  facts.set_generation(At(results.generation, i));
  facts.set_population(results.population[i]);
  facts.set_births(At(results.births, i));
  facts.set_deaths(At(results.deaths, i));
  if (const CellRegion box = At(results.box, i); box.width > 0) Fill(box, *facts.mutable_box());
  if (!results.digest.empty()) facts.set_digest(Hex(results.digest[i]));
  if (!results.shape_digest.empty()) facts.set_shape_digest(Hex(results.shape_digest[i]));
  if (!results.hash.empty()) facts.set_hash(Hex(results.hash[i]));
  return facts;
}

// How all of them ended.
class Tally {
 public:
  void Add(const UniformResults& results) {
    for (std::size_t i = 0; i < results.population.size(); ++i) {
      const auto reason = static_cast<v1::StopReason>(At(results.stop_reason, i));
      Ending& ending = endings_[{static_cast<int>(reason), At(results.period, i)}];
      ++ending.boards;
      ending.generations += static_cast<double>(At(results.generation, i));
      ending.population += static_cast<double>(results.population[i]);
      ++boards_;
      generations_ += static_cast<double>(At(results.generation, i));
    }
  }

  std::uint64_t boards() const { return boards_; }
  double generations() const { return generations_; }

  std::string Table() const {
    using Align = TextTable::Align;
    TextTable table({Align::kLeft, Align::kRight, Align::kRight, Align::kRight, Align::kRight});
    table.AddRow({{"end"}, {"soups"}, {"share"}, {"mean generation"}, {"mean population"}});
    for (const auto& [key, ending] : endings_) {
      const auto& [reason, period] = key;
      const auto count = static_cast<double>(ending.boards);
      table.AddRow({{period > 0 ? "period " + std::to_string(period)
                                : StopReasonText(static_cast<v1::StopReason>(reason))},
                    {std::to_string(ending.boards)},
                    {Percent(ending.boards, boards_)},
                    {Decimals(ending.generations / count, 1)},
                    {Decimals(ending.population / count, 1)}});
    }
    return table.Render(false);
  }

 private:
  struct Ending {
    std::uint64_t boards = 0;
    double generations = 0;
    double population = 0;
  };
  std::map<std::pair<int, std::uint32_t>, Ending> endings_;
  std::uint64_t boards_ = 0;
  double generations_ = 0;
};

class LifeSoups : public Command {
 public:
  explicit LifeSoups(CLI::App& app) : run_(app) {
    app.add_option("--count", count_text_, "Boards: 100000, 1e6");
    app.add_option("--size", size_text_, "WxH of each. 64x64");
    app.add_option("--density", density_text_, "Of live cells at the start. 0.375");
    app.add_option("--seed", seed_text_, "Of the first board; the next ones count on. 0");
    app.add_option("--generations", generations_text_, "To run at most. 100000");
    app.add_option("--rule", rule_, "B36/S23 and the like. B3/S23");
    app.add_option("--topology", topology_, "torus or plane. torus");
    AddHelp(app, kHelp);
  }

  tl::expected<void, Failure> Prepare(const Settings& settings) override {
    if (auto read = ReadCounts(); !read) return read;
    const auto size = ReadValue("--size", size_text_, ParseSize);
    if (!size) return tl::unexpected(size.error());
    size_ = size->value_or(BoardSize{64, 64});
    if (Padded() > kMostCells)
      return WrongUsage("--size '" + Printable(size_text_) + "' has more than 2^30 cells");
    if (topology_ != "torus" && topology_ != "plane")
      return WrongUsage("--topology '" + Printable(topology_) +
                        "' is unknown; pass torus or plane, and the size with --size");
    const auto density = ReadValue("--density", density_text_, ParseDensity);
    if (!density) return tl::unexpected(density.error());
    constexpr double kDensity = 0.375;
    density_ = density->value_or(kDensity);
    if (auto read = run_.Read(); !read) return read;
    facts_ = run_.facts();
    if (facts_.empty() && settings.format != Format::kTable)
      facts_ = {v1::FACT_BOX, v1::FACT_DIGEST};
    return {};
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto begin = steady_clock::now();
    const std::uint64_t most = std::min(kMostBoards, kMostCells / Padded());
    std::uint64_t next = 0;
    double chunk = 256;
    LiveView view(settings);
    while (next < count_) {
      const auto boards = std::clamp(static_cast<std::uint64_t>(chunk), std::uint64_t{1},
                                     std::min(most, count_ - next));
      const auto sent = steady_clock::now();
      const auto results = Ask(client, options, next, static_cast<std::uint32_t>(boards));
      if (!results) return tl::unexpected(Report(results.error()));
      view.Clear();
      if (auto told = Tell(settings, *results, next); !told) return tl::unexpected(told.error());
      tally_.Add(*results);
      next += boards;
      // Twice as many at most, for the first ones also pay for the way there.
      const std::chrono::duration<double> took = steady_clock::now() - sent;
      const double per_second = static_cast<double>(boards) / std::max(took.count(), 1e-6);
      chunk = std::min(per_second, 2 * static_cast<double>(boards));
      view.Draw("", Progress(steady_clock::now() - begin));
    }
    view.Clear();
    const std::string summary = Summary(steady_clock::now() - begin);
    return Output{settings.format == Format::kTable ? tally_.Table() : "", summary};
  }

 private:
  std::uint64_t Padded() const {
    return (std::uint64_t{size_.width} + 63) / 64 * 64 * size_.height;
  }

  tl::expected<void, Failure> ReadCounts() {
    if (count_text_.empty())
      return WrongUsage("--count is missing; pass a number such as --count 100000");
    const auto count = ReadValue("--count", count_text_, ParseCount);
    if (!count) return tl::unexpected(count.error());
    count_ = **count;
    if (count_ == 0)
      return WrongUsage("--count '" + Printable(count_text_) + "' is not at least 1");
    const auto seed = ReadValue("--seed", seed_text_, ParseCount);
    if (!seed) return tl::unexpected(seed.error());
    seed_ = seed->value_or(0);
    const auto generations = ReadValue("--generations", generations_text_, ParseCount);
    if (!generations) return tl::unexpected(generations.error());
    constexpr std::uint64_t kGenerations = 100000;
    generations_ = generations->value_or(kGenerations);
    return {};
  }

  Result<UniformResults> Ask(ProtoClient& client, const CallOptions& options, std::uint64_t first,
                             std::uint32_t boards) const {
    v1::StepManyRequest request;
    v1::UniformBoards& uniform = *request.mutable_uniform();
    uniform.set_topology(topology_ + ":" + std::to_string(size_.width) + "x" +
                         std::to_string(size_.height));
    uniform.set_count(boards);
    uniform.mutable_random()->set_density(density_);
    uniform.mutable_random()->set_seed(seed_ + first);
    uniform.set_rule(rule_);
    uniform.set_generations(generations_);
    if (run_.until()) *uniform.mutable_until() = *run_.until();
    for (const v1::Fact fact : facts_) uniform.add_facts(fact);
    auto reply = client.StepMany(request, options);
    if (!reply) return tl::unexpected(std::move(reply.error()));
    auto results = FromMessage(std::move(*reply));
    if (!results) return tl::unexpected(std::move(results.error()));
    if (results->uniform.population.size() != boards) {
      return tl::unexpected(Error{.code = StatusCode::kInternal,
                                  .message = "the server answered " +
                                             std::to_string(results->uniform.population.size()) +
                                             " boards of " + std::to_string(boards)});
    }
    return std::move(results->uniform);
  }

  tl::expected<void, Failure> Tell(const Settings& settings, const UniformResults& results,
                                   std::uint64_t first) {
    if (settings.format == Format::kTable) return {};
    std::string lines;
    if (settings.format == Format::kCsv && first == 0) lines = CsvLine(Columns());
    for (std::size_t i = 0; i < results.population.size(); ++i) {
      const std::vector<std::string> values = Values(results, i, seed_ + first + i);
      lines += settings.format == Format::kCsv ? CsvLine(values) : JsonObject(values);
    }
    if (!settings.console.out(lines))
      return Fail(kExitFailed, std::string("cannot write to stdout: ") + std::strerror(errno));
    return {};
  }

  std::vector<std::string> Columns() const {
    std::vector<std::string> columns = FactColumns(facts_);
    columns.insert(columns.begin() + kCommonColumns, {"stop_reason", "period"});
    columns.insert(columns.begin(), "seed");
    return columns;
  }

  std::vector<std::string> Values(const UniformResults& results, std::size_t i,
                                  std::uint64_t seed) const {
    std::vector<std::string> values = FactValues(FactsOf(results, i), facts_);
    values.insert(values.begin() + kCommonColumns,
                  {StopReasonText(static_cast<v1::StopReason>(At(results.stop_reason, i))),
                   std::to_string(At(results.period, i))});
    values.insert(values.begin(), std::to_string(seed));
    return values;
  }

  std::string JsonObject(const std::vector<std::string>& values) const {
    const std::vector<std::string> columns = Columns();
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      line += (line.empty() ? "{" : ", ") + JsonString(columns[i]) + ": " + JsonString(values[i]);
    }
    return line + "}\n";
  }

  std::string Rate(std::chrono::duration<double> took) const {
    char text[64];
    std::snprintf(text, sizeof text, "%.4g soups/s, %.3g cells/s",
                  static_cast<double>(tally_.boards()) / took.count(),
                  tally_.generations() * size_.width * size_.height / took.count());
    return text;
  }

  std::string Progress(std::chrono::duration<double> took) const {
    const double share = static_cast<double>(tally_.boards()) / static_cast<double>(count_);
    return ProgressBar(share) + "  " + Rate(took) + "  " +
           ClockText(took.count() / share * (1 - share)) + " left";
  }

  std::string Summary(std::chrono::duration<double> took) const {
    return std::to_string(tally_.boards()) + " soups in " + Decimals(took.count(), 2) +
           " s: " + Rate(took) + '\n';
  }

  RunOptions run_;
  std::string count_text_;
  std::string size_text_;
  std::string density_text_;
  std::string seed_text_;
  std::string generations_text_;
  std::string rule_;
  std::string topology_ = "torus";
  std::uint64_t count_ = 0;
  BoardSize size_;
  double density_ = 0;
  std::uint64_t seed_ = 0;
  std::uint64_t generations_ = 0;
  std::vector<v1::Fact> facts_;
  Tally tally_;
};

}  // namespace

std::unique_ptr<Command> MakeLifeSoups(CLI::App& app) { return std::make_unique<LifeSoups>(app); }

}  // namespace gpusim::cli
