#include "client/cli/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace gpusim::cli {
namespace {

std::size_t WidthOf(const TextTable::Cell& cell) {
  return cell.width == std::string::npos ? cell.text.size() : cell.width;
}

}  // namespace

std::string Printable(std::string_view text) {
  std::string printable;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f) {
      printable += c;
    } else if (c == '\n') {
      printable += "\\n";
    } else {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\x%02x", byte);
      printable += escaped;
    }
  }
  return printable;
}

std::string Percent(std::uint64_t part, std::uint64_t total) {
  char text[32];
  const double percent =
      total == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(total);
  std::snprintf(text, sizeof text, "%.2f%%", percent);
  return text;
}

std::string Bar(std::uint64_t part, std::uint64_t total, int columns) {
  if (total == 0 || columns <= 0) return "";
  const double share = std::min(1.0, static_cast<double>(part) / static_cast<double>(total));
  const int eighths = static_cast<int>(std::lround(share * 8 * columns));
  std::string bar;
  for (int i = 0; i < eighths / 8; ++i) bar += "\u2588";
  constexpr const char* kParts[] = {"",       "\u258f", "\u258e", "\u258d",
                                    "\u258c", "\u258b", "\u258a", "\u2589"};
  return bar + kParts[eighths % 8];
}

std::string CsvLine(const std::vector<std::string>& fields) {
  std::string line;
  for (const std::string& field : fields) {
    if (&field != &fields.front()) line += ',';
    if (field.find_first_of(",\"\r\n") == std::string::npos) {
      line += field;
      continue;
    }
    line += '"';
    for (const char c : field) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + '\n';
}

std::string TextTable::Render(bool color) const {
  std::vector<std::size_t> widths(columns_.size(), 0);
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i]));
  }
  std::string text;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Cell& cell = row[i];
      const std::string padding(widths[i] - WidthOf(cell), ' ');
      const bool colored = color && !cell.color.empty();
      if (i > 0) line += "  ";
      if (columns_[i] == Align::kRight) line += padding;
      line += colored ? "\x1b[" + cell.color + "m" + cell.text + "\x1b[0m" : cell.text;
      if (columns_[i] == Align::kLeft) line += padding;
    }
    text += line.substr(0, line.find_last_not_of(' ') + 1) + '\n';
  }
  return text;
}

}  // namespace gpusim::cli
