#include "client/cli/life_report.h"

#include "client/cli/board_picture.h"
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
  return terminal.is_terminal ? BraillePicture(board) : TextPicture(board);
}

}  // namespace

bool PictureFits(std::uint64_t width, std::uint64_t height, const Terminal& terminal) {
  const std::uint64_t columns = (width + kBrailleWidth - 1) / kBrailleWidth;
  const std::uint64_t lines = (height + kBrailleHeight - 1) / kBrailleHeight;
  // One line is the prompt's.
  return columns <= static_cast<std::uint64_t>(terminal.columns) &&
         lines + 1 <= static_cast<std::uint64_t>(terminal.rows);
}

std::string StepTable(const v1::StepResponse& step, Picture picture, const Terminal& terminal) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.AddRow({{"generation"}, {std::to_string(step.generation())}});
  table.AddRow({{"population"}, {std::to_string(step.population())}});
  table.AddRow({{"hash"}, {Printable(step.hash())}});
  table.AddRow({{"box"}, {Box(step)}});
  table.AddRow({{"rule"}, {Printable(step.rule())}});
  table.AddRow({{"topology"}, {Printable(step.topology())}});
  for (const std::string& note : step.notes()) table.AddRow({{"note"}, {Printable(note)}});
  std::string text = table.Render(terminal.color) + ProvenanceText(step.provenance());
  const std::string drawn = PictureOf(step, picture, terminal);
  if (!drawn.empty()) text += '\n' + drawn;
  return text;
}

std::string StepCsv(const v1::StepResponse& step) {
  return CsvLine({"generation", "population", "hash", "rule", "topology", "width", "height", "x",
                  "y"}) +
         CsvLine({std::to_string(step.generation()), std::to_string(step.population()), step.hash(),
                  step.rule(), step.topology(), std::to_string(step.width()),
                  std::to_string(step.height()), std::to_string(step.origin().x()),
                  std::to_string(step.origin().y())});
}

}  // namespace gpusim::cli
