#include "client/cli/odds_report.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "client/cli/camel_text.h"
#include "client/cli/provenance_text.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

using Align = TextTable::Align;
using Cell = TextTable::Cell;
using Camels = std::vector<const v1::CamelOdds*>;

constexpr int kPlaces = 5;
constexpr const char* kPlaceTitles[kPlaces] = {"1st", "2nd", "3rd", "4th", "5th"};

bool IsExact(const v1::GetOddsResponse& odds) { return odds.total_weight() > 0; }

bool HasRanks(const v1::CamelOdds& camel) {
  return camel.rank_weight_size() > 0 || camel.ranks_size() > 0;
}

std::uint32_t RankWeight(const v1::CamelOdds& camel, int place) {
  return place < camel.rank_weight_size() ? camel.rank_weight(place) : 0;
}

double Share(std::uint32_t weight, const v1::GetOddsResponse& odds) {
  return IsExact(odds) ? static_cast<double>(weight) / odds.total_weight() : 0;
}

double RankChance(const v1::GetOddsResponse& odds, const v1::CamelOdds& camel, int place) {
  if (IsExact(odds)) return Share(RankWeight(camel, place), odds);
  return place < camel.ranks_size() ? camel.ranks(place).value() : 0;
}

// By the chance of being first, then second and so on, or of winning the race where no places were
// asked for; the edition's order decides what is left.
Camels LikeliestFirst(const v1::GetOddsResponse& odds) {
  const auto chances = [&](const v1::CamelOdds* camel) {
    std::vector<double> all;
    for (int place = 0; HasRanks(*camel) && place < kPlaces; ++place)
      all.push_back(RankChance(odds, *camel, place));
    all.push_back(camel->race_win());
    return all;
  };
  Camels camels;
  for (const v1::CamelOdds& camel : odds.camels()) camels.push_back(&camel);
  std::stable_sort(camels.begin(), camels.end(),
                   [&](const auto* a, const auto* b) { return chances(b) < chances(a); });
  return camels;
}

// What stands beside a table that is so wide.
int BarColumns(const Terminal& terminal, int table_columns) {
  return terminal.is_terminal ? std::clamp(terminal.columns - table_columns, 0, 40) : 0;
}

Cell BarCell(double share, v1::Camel camel, int columns, const Terminal& terminal) {
  return {Bar(share, columns, terminal.utf8), CamelColor(camel), 0};
}

std::vector<Cell> PlaceHeader(std::string first) {
  std::vector<Cell> header = {{std::move(first)}};
  for (const char* title : kPlaceTitles) header.push_back({title});
  return header;
}

std::vector<Align> CamelColumns(std::size_t numbers) {
  std::vector<Align> columns(1 + numbers, Align::kRight);
  columns[0] = Align::kLeft;
  return columns;
}

// The second table makes the first one's figures exact, or says how far they can be trusted.
std::string RankTables(const v1::GetOddsResponse& odds, const Camels& camels, v1::Edition edition,
                       const Terminal& terminal) {
  const int bar_columns = BarColumns(terminal, 58);
  auto columns = CamelColumns(kPlaces);
  columns.push_back(Align::kLeft);
  TextTable chances(columns);
  TextTable second(CamelColumns(kPlaces));
  chances.AddRow(PlaceHeader("chance"));
  second.AddRow(PlaceHeader(IsExact(odds) ? "weight of " + std::to_string(odds.total_weight())
                                          : "standard error"));
  for (const v1::CamelOdds* camel : camels) {
    std::vector<Cell> chance_row = {CamelCell(camel->camel(), edition)};
    std::vector<Cell> second_row = chance_row;
    for (int place = 0; place < kPlaces; ++place) {
      chance_row.push_back({Percent(RankChance(odds, *camel, place))});
      if (IsExact(odds)) {
        second_row.push_back({std::to_string(RankWeight(*camel, place))});
      } else {
        const bool there = place < camel->ranks_size();
        second_row.push_back({ErrorPercent(there ? camel->ranks(place).standard_error() : 0)});
      }
    }
    chance_row.push_back(
        BarCell(RankChance(odds, *camel, 0), camel->camel(), bar_columns, terminal));
    chances.AddRow(std::move(chance_row));
    second.AddRow(std::move(second_row));
  }
  return chances.Render(terminal.color) + '\n' + second.Render(terminal.color);
}

std::string TicketTable(const Camels& camels, v1::Edition edition, bool color) {
  std::size_t faces = 0;
  for (const v1::CamelOdds* camel : camels)
    faces = std::max(faces, static_cast<std::size_t>(camel->tickets_size()));
  TextTable table(CamelColumns(faces));
  std::vector<Cell> header = {{"value of a ticket"}};
  for (const v1::TicketValue& ticket : camels.front()->tickets())
    header.push_back({std::to_string(ticket.face())});
  table.AddRow(std::move(header));
  for (const v1::CamelOdds* camel : camels) {
    std::vector<Cell> row = {CamelCell(camel->camel(), edition)};
    for (const v1::TicketValue& ticket : camel->tickets()) {
      std::string value = Signed(ticket.value());
      if (ticket.has_standard_error()) value += " +-" + Decimals(ticket.standard_error(), 4);
      row.push_back({std::move(value)});
    }
    table.AddRow(std::move(row));
  }
  return table.Render(color);
}

std::string RaceTable(const v1::GetOddsResponse& odds, const Camels& camels, v1::Edition edition,
                      const Terminal& terminal) {
  const bool sampled = camels.front()->has_race_win_standard_error();
  const int bar_columns = BarColumns(terminal, sampled ? 56 : 36);
  auto columns = CamelColumns(2);
  columns.push_back(Align::kLeft);
  TextTable table(columns);
  table.AddRow({{"race"}, {"win"}, {"last"}, {""}});
  const auto chance = [&](double value, double error) {
    return Percent(value) + (sampled ? " +-" + ErrorPercent(error) : "");
  };
  for (const v1::CamelOdds* camel : camels) {
    table.AddRow({CamelCell(camel->camel(), edition),
                  {chance(camel->race_win(), camel->race_win_standard_error())},
                  {chance(camel->race_last(), camel->race_last_standard_error())},
                  BarCell(camel->race_win(), camel->camel(), bar_columns, terminal)});
  }
  std::string text = table.Render(terminal.color);
  if (odds.has_expected_legs()) {
    text += "expected legs: " + Decimals(odds.expected_legs().value(), 4);
    if (odds.expected_legs().has_standard_error())
      text += " +-" + Decimals(odds.expected_legs().standard_error(), 4);
    text += '\n';
  }
  return text;
}

// Winners as rows, the last as columns.
std::string JointTable(const v1::GetOddsResponse& odds, v1::Edition edition, std::string title,
                       const std::function<std::string(const v1::Estimate&)>& show, bool color) {
  std::vector<v1::Camel> camels;
  for (const v1::RacePairOdds& pair : odds.race_pairs()) {
    if (std::find(camels.begin(), camels.end(), pair.winner()) == camels.end())
      camels.push_back(pair.winner());
  }
  TextTable table(CamelColumns(camels.size()));
  std::vector<Cell> header = {{std::move(title)}};
  for (const v1::Camel camel : camels) header.push_back(CamelCell(camel, edition));
  table.AddRow(std::move(header));
  for (const v1::Camel winner : camels) {
    std::vector<Cell> row(1 + camels.size(), Cell{"-"});
    row[0] = CamelCell(winner, edition);
    for (const v1::RacePairOdds& pair : odds.race_pairs()) {
      const auto last = std::find(camels.begin(), camels.end(), pair.last());
      if (pair.winner() != winner || last == camels.end()) continue;
      row[1 + static_cast<std::size_t>(last - camels.begin())] = {show(pair.probability())};
    }
    table.AddRow(std::move(row));
  }
  return table.Render(color);
}

std::string JointTables(const v1::GetOddsResponse& odds, v1::Edition edition, bool color) {
  std::string text = JointTable(
      odds, edition, "winner, last", [](const v1::Estimate& e) { return Percent(e.value()); },
      color);
  if (IsExact(odds)) return text;
  return text + '\n' +
         JointTable(
             odds, edition, "standard error",
             [](const v1::Estimate& e) { return ErrorPercent(e.standard_error()); }, color);
}

std::string PairTable(const v1::GetOddsResponse& odds, v1::Edition edition, bool color) {
  const auto chance = [&](const v1::PairOdds& pair) {
    return IsExact(odds) ? Share(pair.weight(), odds) : pair.probability().value();
  };
  std::vector<const v1::PairOdds*> pairs;
  for (const v1::PairOdds& pair : odds.pairs()) pairs.push_back(&pair);
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const auto* a, const auto* b) { return chance(*a) > chance(*b); });
  TextTable table({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow({{"first"}, {"second"}, {"chance"}, {IsExact(odds) ? "weight" : "standard error"}});
  for (const v1::PairOdds* pair : pairs) {
    table.AddRow({CamelCell(pair->first(), edition),
                  CamelCell(pair->second(), edition),
                  {Percent(chance(*pair))},
                  {IsExact(odds) ? std::to_string(pair->weight())
                                 : ErrorPercent(pair->probability().standard_error())}});
  }
  return table.Render(color);
}

std::string LandingTable(const v1::GetOddsResponse& odds) {
  TextTable table({Align::kRight, Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow(
      {{"space"}, {"tile"}, {"expected landings"}, {IsExact(odds) ? "weight" : "standard error"}});
  for (const v1::TileLandings& tile : odds.landings()) {
    const double expected =
        IsExact(odds) ? Share(tile.landing_weight(), odds) : tile.expected().value();
    table.AddRow({{std::to_string(tile.space())},
                  {EffectText(tile.effect())},
                  {Decimals(expected, 4)},
                  {IsExact(odds) ? std::to_string(tile.landing_weight())
                                 : Decimals(tile.expected().standard_error(), 6)}});
  }
  return table.Render(false);
}

std::string RaceEnds(const v1::GetOddsResponse& odds, v1::Edition edition) {
  const auto part = [&](std::uint32_t weight, const v1::Estimate& estimate) {
    if (IsExact(odds)) return Percent(Share(weight, odds)) + " (" + std::to_string(weight) + ")";
    return Percent(estimate.value()) + " +-" + ErrorPercent(estimate.standard_error());
  };
  std::string line = "race ends in this leg: " + part(odds.race_ends_weight(), odds.race_ends());
  if (edition == v1::EDITION_SECOND) {
    line += ", backward: " + part(odds.race_ends_backward_weight(), odds.race_ends_backward());
  }
  return line + '\n';
}

}  // namespace

std::string OddsTable(const v1::GetOddsResponse& odds, v1::Edition edition,
                      const Terminal& terminal) {
  std::string text;
  if (const Camels camels = LikeliestFirst(odds); !camels.empty()) {
    const v1::CamelOdds& first = *camels.front();
    if (HasRanks(first)) text += RankTables(odds, camels, edition, terminal) + '\n';
    if (first.tickets_size() > 0) text += TicketTable(camels, edition, terminal.color) + '\n';
    if (first.has_race_win()) text += RaceTable(odds, camels, edition, terminal) + '\n';
  }
  if (odds.race_pairs_size() > 0) text += JointTables(odds, edition, terminal.color) + '\n';
  if (odds.pairs_size() > 0) text += PairTable(odds, edition, terminal.color) + '\n';
  if (odds.landings_size() > 0) text += LandingTable(odds) + '\n';
  text += RaceEnds(odds, edition);
  if (odds.simulations() > 0) text += std::to_string(odds.simulations()) + " simulations\n";
  return text + ProvenanceText(odds.provenance());
}

}  // namespace gpusim::cli
