#include "client/cli/life_options.h"

#include <utility>

#include <CLI/CLI.hpp>

namespace gpusim::cli {

RandomOptions::RandomOptions(CLI::App& app) {
  app.add_option("--random", density_, "Random cells of this density, made by the server: 0.375");
  app.add_option("--seed", seed_, "Of --random: the same cells again. 0");
}

tl::expected<std::optional<v1::RandomFill>, Failure> RandomOptions::Read() const {
  if (density_.empty()) {
    if (!seed_.empty()) return WrongUsage("--seed needs --random");
    return std::nullopt;
  }
  const auto density = ReadValue("--random", density_, ParseDensity);
  if (!density) return tl::unexpected(density.error());
  const auto seed = ReadValue("--seed", seed_, ParseCount);
  if (!seed) return tl::unexpected(seed.error());
  v1::RandomFill random;
  random.set_density(**density);
  random.set_seed(seed->value_or(0));
  return random;
}

RunOptions::RunOptions(CLI::App& app) {
  app.add_option("--until", until_text_,
                 "End at extinct, still, 'period<=4', 'population<=10' or 'population>=10'");
  app.add_option("--facts", facts_text_,
                 "Some of box,changes,digest,shape-digest,hash, besides the population");
}

tl::expected<void, Failure> RunOptions::Read() {
  auto until = ReadValue("--until", until_text_, ParseUntil);
  if (!until) return tl::unexpected(std::move(until.error()));
  until_ = std::move(*until);
  auto facts = ReadValue("--facts", facts_text_, ParseFacts);
  if (!facts) return tl::unexpected(std::move(facts.error()));
  facts_ = facts->value_or(std::vector<v1::Fact>());
  return {};
}

StepOptions::StepOptions(CLI::App& app) : run_(app) {
  app.add_option("--generations", generations_text_, "To run: 100, 1e6");
  app.add_option("--facts-every", facts_every_text_,
                 "A row of facts for every so many generations");
}

tl::expected<void, Failure> StepOptions::Read() {
  if (auto run = run_.Read(); !run) return run;
  const auto generations = ReadValue("--generations", generations_text_, ParseCount);
  if (!generations) return tl::unexpected(generations.error());
  generations_ = *generations;
  const auto every = ReadValue("--facts-every", facts_every_text_, ParseCount);
  if (!every) return tl::unexpected(every.error());
  if (*every == std::uint64_t{0})
    return WrongUsage("--facts-every '0' is not at least 1; leave it out for no series");
  facts_every_ = every->value_or(0);
  return {};
}

TimesOptions::TimesOptions(CLI::App& app, const std::string& otherwise) {
  app.add_option("--lease", lease_,
                 "How long the board stays without being used: 1h, none. " + otherwise);
  app.add_option("--autosave", autosave_, "How often it is saved: 10m, none");
}

NameOption::NameOption(CLI::App& app, const std::string& what) : what_(what) {
  app.add_option(what, name_, "ID or OWNER/ID");
}

tl::expected<void, Failure> NameOption::Check() const {
  if (name_.empty()) {
    return WrongUsage("the " + what_ + " is missing; see gpusim-client life " +
                      (what_ == "snapshot" ? "snapshots" : "list"));
  }
  return {};
}

}  // namespace gpusim::cli
