#include <string>
#include <utility>
#include <vector>

#include "client/cli/odds_report.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

// Values beside the names of their columns, so that header and row cannot drift apart.
class Record {
 public:
  void Add(std::string name, std::string value) {
    names_.push_back(std::move(name));
    values_.push_back(std::move(value));
  }
  void Add(std::string name, double value) { Add(std::move(name), Number(value)); }
  void Add(std::string name, std::uint64_t value) { Add(std::move(name), std::to_string(value)); }

  // The value and, behind it, its standard error.
  void AddSampled(const std::string& name, double value, double error) {
    Add(name, value);
    Add(name + "_error", error);
  }
  void AddSampled(const std::string& name, const v1::Estimate& estimate) {
    AddSampled(name, estimate.value(), estimate.standard_error());
  }

  const std::vector<std::string>& names() const { return names_; }
  const std::vector<std::string>& values() const { return values_; }

 private:
  std::vector<std::string> names_;
  std::vector<std::string> values_;
};

std::string ToCsv(const std::vector<Record>& records) {
  if (records.empty()) return "";
  std::string csv = CsvLine(records.front().names());
  for (const Record& record : records) csv += CsvLine(record.values());
  return csv;
}

bool IsExact(const v1::GetOddsResponse& odds) { return odds.total_weight() > 0; }

void AddRanks(const v1::GetOddsResponse& odds, const v1::CamelOdds& camel, Record& record) {
  constexpr const char* kPlaces[] = {"first", "second", "third", "fourth", "fifth"};
  const int known = IsExact(odds) ? camel.rank_weight_size() : camel.ranks_size();
  for (int place = 0; place < known && place < 5; ++place) {
    if (IsExact(odds)) {
      record.Add(kPlaces[place], std::uint64_t{camel.rank_weight(place)});
    } else {
      record.AddSampled(kPlaces[place], camel.ranks(place));
    }
  }
}

// Of the whole answer, in every row.
void AddTotals(const v1::GetOddsResponse& odds, Record& record) {
  if (IsExact(odds)) {
    record.Add("total_weight", std::uint64_t{odds.total_weight()});
    record.Add("race_ends_weight", std::uint64_t{odds.race_ends_weight()});
    record.Add("race_ends_backward_weight", std::uint64_t{odds.race_ends_backward_weight()});
  } else {
    record.Add("simulations", odds.simulations());
    record.AddSampled("race_ends", odds.race_ends());
    record.AddSampled("race_ends_backward", odds.race_ends_backward());
  }
}

void AddTicketsAndRace(const v1::GetOddsResponse& odds, const v1::CamelOdds& camel,
                       Record& record) {
  for (const v1::TicketValue& ticket : camel.tickets()) {
    const std::string name = "ticket_" + std::to_string(ticket.face());
    if (IsExact(odds)) {
      record.Add(name, ticket.value());
    } else {
      record.AddSampled(name, ticket.value(), ticket.standard_error());
    }
  }
  if (!camel.has_race_win()) return;
  if (IsExact(odds)) {
    record.Add("race_win", camel.race_win());
    record.Add("race_last", camel.race_last());
    record.Add("expected_legs", odds.expected_legs().value());
  } else {
    record.AddSampled("race_win", camel.race_win(), camel.race_win_standard_error());
    record.AddSampled("race_last", camel.race_last(), camel.race_last_standard_error());
    record.AddSampled("expected_legs", odds.expected_legs());
  }
}

// A probability of its own row: an exact weight, or a sampled value.
void AddWeight(const v1::GetOddsResponse& odds, const char* exact, std::uint32_t weight,
               const char* sampled, const v1::Estimate& estimate, Record& record) {
  if (IsExact(odds)) {
    record.Add(exact, std::uint64_t{weight});
    record.Add("total_weight", std::uint64_t{odds.total_weight()});
  } else {
    record.AddSampled(sampled, estimate);
    record.Add("simulations", odds.simulations());
  }
}

}  // namespace

std::string OddsCsv(const v1::GetOddsResponse& odds) {
  std::vector<Record> records;
  for (const v1::CamelOdds& camel : odds.camels()) {
    Record& record = records.emplace_back();
    record.Add("camel", v1::Camel_Name(camel.camel()));
    AddRanks(odds, camel, record);
    AddTotals(odds, record);
    AddTicketsAndRace(odds, camel, record);
  }
  if (!records.empty()) return ToCsv(records);
  for (const v1::PairOdds& pair : odds.pairs()) {
    Record& record = records.emplace_back();
    record.Add("first", v1::Camel_Name(pair.first()));
    record.Add("second", v1::Camel_Name(pair.second()));
    AddWeight(odds, "weight", pair.weight(), "probability", pair.probability(), record);
  }
  for (const v1::TileLandings& tile : odds.landings()) {
    Record& record = records.emplace_back();
    record.Add("space", std::uint64_t{tile.space()});
    record.Add("effect", v1::TileEffect_Name(tile.effect()));
    AddWeight(odds, "landing_weight", tile.landing_weight(), "landings", tile.expected(), record);
  }
  for (const v1::RacePairOdds& pair : odds.race_pairs()) {
    Record& record = records.emplace_back();
    record.Add("winner", v1::Camel_Name(pair.winner()));
    record.Add("last", v1::Camel_Name(pair.last()));
    if (IsExact(odds)) {
      record.Add("probability", pair.probability().value());
    } else {
      record.AddSampled("probability", pair.probability());
    }
  }
  // No tiles, no landings; a header tells so.
  if (records.empty()) return "space,effect,landing_weight,total_weight\n";
  return ToCsv(records);
}

}  // namespace gpusim::cli
