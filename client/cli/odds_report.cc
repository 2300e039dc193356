#include "client/cli/odds_report.h"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <vector>

#include "client/cli/provenance_text.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

using Align = TextTable::Align;
using Cell = TextTable::Cell;

constexpr int kPlaces = 5;
constexpr const char* kPlaceTitles[kPlaces] = {"1st", "2nd", "3rd", "4th", "5th"};

struct CamelText {
  const char* name;
  char letter;  // of the first edition; the second writes it small
  const char* color;
};

CamelText TextOf(v1::Camel camel) {
  switch (camel) {
    case v1::CAMEL_BLUE:
      return {"blue", 'B', "34"};
    case v1::CAMEL_GREEN:
      return {"green", 'G', "32"};
    case v1::CAMEL_ORANGE:
      return {"orange", 'O', "38;5;208"};
    case v1::CAMEL_YELLOW:
      return {"yellow", 'Y', "33"};
    case v1::CAMEL_WHITE:
      return {"white", 'W', "37"};
    case v1::CAMEL_RED:
      return {"red", 'R', "31"};
    case v1::CAMEL_PURPLE:
      return {"purple", 'P', "35"};
    case v1::CAMEL_CRAZY_WHITE:
      return {"crazy white", 'W', "37"};
    case v1::CAMEL_CRAZY_BLACK:
      return {"crazy black", 'K', "90"};
    default:
      return {"unknown", '?', ""};
  }
}

Cell CamelCell(v1::Camel camel, v1::Edition edition) {
  const CamelText text = TextOf(camel);
  const char letter =
      edition == v1::EDITION_SECOND ? static_cast<char>(std::tolower(text.letter)) : text.letter;
  return {std::string(text.name) + " (" + letter + ")", text.color};
}

std::uint32_t RankWeight(const v1::CamelOdds& camel, int place) {
  return place < camel.rank_weight_size() ? camel.rank_weight(place) : 0;
}

// By the chance of being first, then second and so on; the edition's order decides what is left.
std::vector<const v1::CamelOdds*> LikeliestFirst(const v1::GetOddsResponse& odds) {
  std::vector<const v1::CamelOdds*> camels;
  for (const v1::CamelOdds& camel : odds.camels()) camels.push_back(&camel);
  std::stable_sort(
      camels.begin(), camels.end(), [](const v1::CamelOdds* a, const v1::CamelOdds* b) {
        return std::lexicographical_compare(b->rank_weight().begin(), b->rank_weight().end(),
                                            a->rank_weight().begin(), a->rank_weight().end());
      });
  return camels;
}

std::vector<Cell> PlaceHeader(std::string first) {
  std::vector<Cell> header = {{std::move(first)}};
  for (const char* title : kPlaceTitles) header.push_back({title});
  return header;
}

std::vector<Align> PlaceColumns() {
  std::vector<Align> columns(1 + kPlaces, Align::kRight);
  columns[0] = Align::kLeft;
  return columns;
}

std::string RankTables(const v1::GetOddsResponse& odds, v1::Edition edition,
                       const Terminal& terminal) {
  constexpr int kColumnsBesideBar = 58;
  const int bar_columns =
      terminal.is_terminal ? std::clamp(terminal.columns - kColumnsBesideBar, 0, 40) : 0;
  auto columns = PlaceColumns();
  columns.push_back(Align::kLeft);
  TextTable chances(columns);
  TextTable weights(PlaceColumns());
  chances.AddRow(PlaceHeader("chance"));
  weights.AddRow(PlaceHeader("weight of " + std::to_string(odds.total_weight())));
  for (const v1::CamelOdds* camel : LikeliestFirst(odds)) {
    std::vector<Cell> chance_row = {CamelCell(camel->camel(), edition)};
    std::vector<Cell> weight_row = chance_row;
    for (int place = 0; place < kPlaces; ++place) {
      const std::uint32_t weight = RankWeight(*camel, place);
      chance_row.push_back({Percent(weight, odds.total_weight())});
      weight_row.push_back({std::to_string(weight)});
    }
    chance_row.push_back({Bar(RankWeight(*camel, 0), odds.total_weight(), bar_columns),
                          TextOf(camel->camel()).color, 0});
    chances.AddRow(std::move(chance_row));
    weights.AddRow(std::move(weight_row));
  }
  return chances.Render(terminal.color) + '\n' + weights.Render(terminal.color);
}

std::string PairTable(const v1::GetOddsResponse& odds, v1::Edition edition, bool color) {
  std::vector<const v1::PairOdds*> pairs;
  for (const v1::PairOdds& pair : odds.pairs()) pairs.push_back(&pair);
  std::stable_sort(pairs.begin(), pairs.end(), [](const v1::PairOdds* a, const v1::PairOdds* b) {
    return a->weight() > b->weight();
  });
  TextTable table({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow({{"first"}, {"second"}, {"chance"}, {"weight"}});
  for (const v1::PairOdds* pair : pairs) {
    table.AddRow({CamelCell(pair->first(), edition),
                  CamelCell(pair->second(), edition),
                  {Percent(pair->weight(), odds.total_weight())},
                  {std::to_string(pair->weight())}});
  }
  return table.Render(color);
}

const char* EffectText(v1::TileEffect effect) {
  return effect == v1::TILE_EFFECT_OASIS    ? "oasis (+)"
         : effect == v1::TILE_EFFECT_MIRAGE ? "mirage (-)"
                                            : "unknown";
}

std::string LandingTable(const v1::GetOddsResponse& odds) {
  TextTable table({Align::kRight, Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow({{"space"}, {"tile"}, {"expected landings"}, {"weight"}});
  for (const v1::TileLandings& tile : odds.landings()) {
    char expected[32];
    std::snprintf(expected, sizeof expected, "%.4f",
                  odds.total_weight() == 0 ? 0.0
                                           : static_cast<double>(tile.landing_weight()) /
                                                 static_cast<double>(odds.total_weight()));
    table.AddRow({{std::to_string(tile.space())},
                  {EffectText(tile.effect())},
                  {expected},
                  {std::to_string(tile.landing_weight())}});
  }
  return table.Render(false);
}

std::string RaceEnds(const v1::GetOddsResponse& odds, v1::Edition edition) {
  const auto part = [&](std::uint32_t weight) {
    return Percent(weight, odds.total_weight()) + " (" + std::to_string(weight) + ")";
  };
  std::string line = "race ends in this leg: " + part(odds.race_ends_weight());
  if (edition == v1::EDITION_SECOND) {
    line += ", backward: " + part(odds.race_ends_backward_weight());
  }
  return line + '\n';
}

}  // namespace

std::string OddsTable(const v1::GetOddsResponse& odds, v1::Edition edition,
                      const Terminal& terminal) {
  std::string text;
  if (odds.camels_size() > 0) text += RankTables(odds, edition, terminal) + '\n';
  if (odds.pairs_size() > 0) text += PairTable(odds, edition, terminal.color) + '\n';
  if (odds.landings_size() > 0) text += LandingTable(odds) + '\n';
  return text + RaceEnds(odds, edition) + ProvenanceText(odds.provenance());
}

std::string OddsCsv(const v1::GetOddsResponse& odds) {
  const std::string total = std::to_string(odds.total_weight());
  std::string csv;
  if (odds.camels_size() > 0) {
    csv += CsvLine({"camel", "first", "second", "third", "fourth", "fifth", "total_weight",
                    "race_ends_weight", "race_ends_backward_weight"});
    for (const v1::CamelOdds& camel : odds.camels()) {
      std::vector<std::string> row = {v1::Camel_Name(camel.camel())};
      for (int place = 0; place < kPlaces; ++place) {
        row.push_back(std::to_string(RankWeight(camel, place)));
      }
      row.insert(row.end(), {total, std::to_string(odds.race_ends_weight()),
                             std::to_string(odds.race_ends_backward_weight())});
      csv += CsvLine(row);
    }
  } else if (odds.pairs_size() > 0) {
    csv += CsvLine({"first", "second", "weight", "total_weight"});
    for (const v1::PairOdds& pair : odds.pairs()) {
      csv += CsvLine({v1::Camel_Name(pair.first()), v1::Camel_Name(pair.second()),
                      std::to_string(pair.weight()), total});
    }
  } else {
    csv += CsvLine({"space", "effect", "landing_weight", "total_weight"});
    for (const v1::TileLandings& tile : odds.landings()) {
      csv += CsvLine({std::to_string(tile.space()), v1::TileEffect_Name(tile.effect()),
                      std::to_string(tile.landing_weight()), total});
    }
  }
  return csv;
}

}  // namespace gpusim::cli
