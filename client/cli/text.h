// Small pieces of text that the reports share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gpusim::cli {

// One line that cannot steer a terminal: control characters become "\n", "\x1b" and so on. For
// every text that comes from outside.
std::string Printable(std::string_view text);

// "16.36%"; "0.00%" when the total is 0.
std::string Percent(std::uint64_t part, std::uint64_t total);

std::string Percent(double share);
// Of a standard error, which is small: "0.0023%".
std::string ErrorPercent(double share);

// With as many decimals: "4.8781". "+0.5000", "-1.0000" where the sign counts.
std::string Decimals(double value, int decimals);
std::string Signed(double value);

// All digits that the value has: "0.1", "4e-07".
std::string Number(double value);

// A bar of `share` (0 to 1) times `columns` characters: in eighths of a character of UTF-8, or
// of '#'.
std::string Bar(double share, int columns, bool utf8);

// Fields with commas, quotes or line ends are quoted; ends with a line end.
std::string CsvLine(const std::vector<std::string>& fields);

// Rows of cells in aligned columns. A colour (the number of an SGR sequence) does not count as
// width.
class TextTable {
 public:
  enum class Align { kLeft, kRight };
  struct Cell {
    std::string text;
    std::string color = {};
    std::size_t width = std::string::npos;  // on screen, when it differs from the bytes
  };

  explicit TextTable(std::vector<Align> columns) : columns_(std::move(columns)) {}
  void AddRow(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  // Lines without spaces at their ends.
  std::string Render(bool color) const;

 private:
  std::vector<Align> columns_;
  std::vector<std::vector<Cell>> rows_;
};

}  // namespace gpusim::cli
