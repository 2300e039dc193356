#include "client/cli/moves_report.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "client/cli/camel_text.h"
#include "client/cli/provenance_text.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

using Align = TextTable::Align;
using Cell = TextTable::Cell;

bool HasBounds(const v1::MoveValue& move) {
  return move.lower() != move.value() || move.upper() != move.value();
}

// What is done, and with what.
std::pair<std::string, Cell> ActionCells(const v1::MoveValue& move, v1::Edition edition) {
  switch (move.action_case()) {
    case v1::MoveValue::kTakeTicket: {
      Cell camel = CamelCell(move.take_ticket().camel(), edition);
      return {"take the ticket of " + std::to_string(move.take_ticket().face()), camel};
    }
    case v1::MoveValue::kPlaceCard:
      return {move.place_card().winner() ? "bet on the winner" : "bet on the loser",
              CamelCell(move.place_card().camel(), edition)};
    case v1::MoveValue::kRoll:
      return {"roll", {""}};
    case v1::MoveValue::kPlaceTile:
      return {std::string("place ") + EffectText(move.place_tile().effect()),
              {"space " + std::to_string(move.place_tile().space())}};
    case v1::MoveValue::ACTION_NOT_SET:
      break;
  }
  return {"unknown", {""}};
}

}  // namespace

std::string MovesTable(const v1::EvaluateMovesResponse& moves, v1::Edition edition, bool color) {
  const bool bounds = std::any_of(moves.moves().begin(), moves.moves().end(), HasBounds);
  std::vector<Align> columns = {Align::kLeft, Align::kLeft, Align::kRight, Align::kRight};
  if (bounds) columns.push_back(Align::kRight);
  TextTable table(std::move(columns));
  std::vector<Cell> header = {{"action"}, {""}, {"value"}, {"expected"}};
  if (bounds) header.push_back({"value between"});
  table.AddRow(std::move(header));
  for (const v1::MoveValue& move : moves.moves()) {
    auto [action, object] = ActionCells(move, edition);
    std::vector<Cell> row = {
        {std::move(action)}, object, {Signed(move.value())}, {Decimals(move.expected(), 4)}};
    if (bounds) {
      row.push_back({HasBounds(move) ? Signed(move.lower()) + " and " + Signed(move.upper()) : ""});
    }
    table.AddRow(std::move(row));
  }
  return table.Render(color) + "\nexpected without an action: " + Decimals(moves.baseline(), 4) +
         " coins\n" + ProvenanceText(moves.provenance());
}

std::string MovesCsv(const v1::EvaluateMovesResponse& moves) {
  std::string csv = CsvLine({"action", "camel", "face", "pile", "space", "effect", "value",
                             "expected", "lower", "upper"});
  for (const v1::MoveValue& move : moves.moves()) {
    std::vector<std::string> row;
    switch (move.action_case()) {
      case v1::MoveValue::kTakeTicket:
        row = {"take_ticket",
               v1::Camel_Name(move.take_ticket().camel()),
               std::to_string(move.take_ticket().face()),
               "",
               "",
               ""};
        break;
      case v1::MoveValue::kPlaceCard:
        row = {"place_card", v1::Camel_Name(move.place_card().camel()),
               "",           move.place_card().winner() ? "winner" : "loser",
               "",           ""};
        break;
      case v1::MoveValue::kRoll:
        row = {"roll", "", "", "", "", ""};
        break;
      case v1::MoveValue::kPlaceTile:
        row = {"place_tile",
               "",
               "",
               "",
               std::to_string(move.place_tile().space()),
               v1::TileEffect_Name(move.place_tile().effect())};
        break;
      case v1::MoveValue::ACTION_NOT_SET:
        row = {"unknown", "", "", "", "", ""};
        break;
    }
    for (const double figure : {move.value(), move.expected(), move.lower(), move.upper()})
      row.push_back(Number(figure));
    csv += CsvLine(row);
  }
  return csv;
}

}  // namespace gpusim::cli
