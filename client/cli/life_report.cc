#include "client/cli/life_report.h"

#include "client/cli/board_picture.h"
#include "client/cli/life_facts.h"
#include "client/cli/provenance_text.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

using Align = TextTable::Align;

std::string Box(const v1::StepResponse& step) {
  std::string box = std::to_string(step.width()) + " x " + std::to_string(step.height());
  if (step.has_origin() && step.topology() == "plane:auto") {
    box += " at " + std::to_string(step.origin().x()) + "," + std::to_string(step.origin().y());
  }
  return box;
}

std::string PictureOf(const v1::StepResponse& step, Picture picture, const Terminal& terminal) {
  const v1::PackedBoard& board = step.packed();
  if (!step.has_packed() || picture == Picture::kNone || board.width() == 0 ||
      board.height() == 0) {
    return "";
  }
  if (picture == Picture::kIfItFits && !PictureFits(board.width(), board.height(), terminal)) {
    return "";
  }
  return BoardPicture(board, terminal.is_terminal && terminal.utf8);
}

// What only some calls ask for.
void AddFacts(const v1::StepResponse& step, TextTable& table) {
  const v1::BoardFacts& facts = step.facts();
  if (facts.births() > 0 || facts.deaths() > 0) {
    table.AddRow({{"changes"},
                  {std::to_string(facts.births()) + " births, " + std::to_string(facts.deaths()) +
                   " deaths"}});
  }
  if (facts.has_box()) table.AddRow({{"live cells"}, {BoxText(facts.box())}});
  if (!facts.digest().empty()) table.AddRow({{"digest"}, {Printable(facts.digest())}});
  if (!facts.shape_digest().empty())
    table.AddRow({{"shape digest"}, {Printable(facts.shape_digest())}});
  if (step.stop_reason() == v1::STOP_REASON_CONDITION) {
    table.AddRow({{"stopped"},
                  {step.period() == 0 ? "the condition is met"
                                      : "period " + std::to_string(step.period())}});
  }
}

std::vector<v1::BoardFacts> SeriesOf(const v1::StepResponse& step) {
  return {step.series().begin(), step.series().end()};
}

// A series has no hashes.
std::vector<v1::Fact> OfSeries(std::vector<v1::Fact> facts) {
  std::erase(facts, v1::FACT_HASH);
  return facts;
}

}  // namespace

bool PictureFits(std::uint64_t width, std::uint64_t height, const Terminal& terminal) {
  const CharacterCells cells = CellsOfCharacter(terminal.utf8);
  const std::uint64_t columns = (width + cells.width - 1) / cells.width;
  const std::uint64_t lines = (height + cells.height - 1) / cells.height;
  // One line is the prompt's.
  return columns <= static_cast<std::uint64_t>(terminal.columns) &&
         lines + 1 <= static_cast<std::uint64_t>(terminal.rows);
}

std::string StepTable(const v1::StepResponse& step, const std::vector<v1::Fact>& facts,
                      Picture picture, const Terminal& terminal) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.AddRow({{"generation"}, {std::to_string(step.generation())}});
  table.AddRow({{"population"}, {std::to_string(step.population())}});
  if (!step.hash().empty()) table.AddRow({{"hash"}, {Printable(step.hash())}});
  table.AddRow({{"box"}, {Box(step)}});
  table.AddRow({{"rule"}, {Printable(step.rule())}});
  table.AddRow({{"topology"}, {Printable(step.topology())}});
  AddFacts(step, table);
  for (const std::string& note : step.notes()) table.AddRow({{"note"}, {Printable(note)}});
  std::string text = table.Render(terminal.color) + ProvenanceText(step.provenance());
  if (step.series_size() > 0) text += '\n' + FactsTable(SeriesOf(step), OfSeries(facts));
  const std::string drawn = PictureOf(step, picture, terminal);
  if (!drawn.empty()) text += '\n' + drawn;
  return text;
}

std::string StepCsv(const v1::StepResponse& step, const std::vector<v1::Fact>& facts) {
  if (step.series_size() > 0) {
    const std::vector<v1::Fact> kept = OfSeries(facts);
    std::string csv = CsvLine(FactColumns(kept));
    for (const v1::BoardFacts& row : step.series()) csv += CsvLine(FactValues(row, kept));
    return csv;
  }
  std::vector<std::string> columns = {"generation", "population",  "hash",   "rule",
                                      "topology",   "width",       "height", "x",
                                      "y",          "stop_reason", "period"};
  std::vector<std::string> values = {std::to_string(step.generation()),
                                     std::to_string(step.population()),
                                     step.hash(),
                                     step.rule(),
                                     step.topology(),
                                     std::to_string(step.width()),
                                     std::to_string(step.height()),
                                     std::to_string(step.origin().x()),
                                     std::to_string(step.origin().y()),
                                     StopReasonText(step.stop_reason()),
                                     std::to_string(step.period())};
  // Behind what every step has.
  const std::vector<v1::Fact> kept = OfSeries(facts);
  const auto more_columns = FactColumns(kept);
  const auto more_values = FactValues(step.facts(), kept);
  columns.insert(columns.end(), more_columns.begin() + kCommonColumns, more_columns.end());
  values.insert(values.end(), more_values.begin() + kCommonColumns, more_values.end());
  return CsvLine(columns) + CsvLine(values);
}

}  // namespace gpusim::cli
