#include "client/cli/text.h"

#include <algorithm>
#include <charconv>
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
  return Percent(total == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(total));
}

std::string Percent(double share) { return Decimals(100 * share, 2) + "%"; }

std::string ErrorPercent(double share) { return Decimals(100 * share, 4) + "%"; }

std::string Decimals(double value, int decimals) {
  char text[400];  // the largest double has 309 digits before the point
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

std::string Signed(double value) {
  char text[400];
  std::snprintf(text, sizeof text, "%+.4f", value);
  return text;
}

std::string Number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string Bar(double share, int columns, bool utf8) {
  if (columns <= 0) return "";
  if (!utf8) {
    const double filled = std::clamp(share, 0.0, 1.0) * columns;
    return std::string(static_cast<std::size_t>(std::lround(filled)), '#');
  }
  const int eighths = static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 8 * columns));
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
