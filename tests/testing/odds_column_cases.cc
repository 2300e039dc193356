#include "tests/testing/odds_column_cases.h"

#include <cstdint>
#include <string>

namespace gpusim::testing {
namespace {

// uint32, little-endian.
void AppendWord(std::uint32_t word, std::string& column) {
  for (int byte = 0; byte < 4; ++byte) column += static_cast<char>(word >> (8 * byte));
}

}  // namespace

v1::GetOddsColumnsRequest ColumnsOf(const std::vector<reference::Position>& positions) {
  const std::size_t rows = positions.size();
  const int edition = positions.front().edition;
  const std::string camels = edition == 1 ? "BGOYW" : "rbgypwk";
  const std::string dice = edition == 1 ? "BGOYW" : "rbgyp*";
  v1::GetOddsColumnsRequest request;
  request.set_edition(edition == 1 ? v1::EDITION_FIRST : v1::EDITION_SECOND);
  request.set_rows(static_cast<std::uint32_t>(rows));
  std::string spaces(camels.size() * rows, '\0');
  std::string heights = spaces;
  for (std::size_t row = 0; row < rows; ++row) {
    for (const auto& [space, stack] : positions[row].stacks) {
      for (std::size_t height = 0; height < stack.size(); ++height) {
        const std::size_t at = camels.find(stack[height]) * rows + row;
        spaces[at] = static_cast<char>(space);
        heights[at] = static_cast<char>(height);
      }
    }
    std::uint32_t oases = 0;
    std::uint32_t mirages = 0;
    for (const auto& [space, effect] : positions[row].tiles)
      (effect > 0 ? oases : mirages) |= 1u << space;
    AppendWord(oases, *request.mutable_oases());
    AppendWord(mirages, *request.mutable_mirages());
    std::uint32_t left = 0;
    for (const char die : positions[row].dice) left |= 1u << dice.find(die);
    *request.mutable_dice() += static_cast<char>(left);
  }
  request.set_spaces(spaces);
  request.set_heights(heights);
  return request;
}

}  // namespace gpusim::testing
