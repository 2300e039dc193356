#include <charconv>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

#include "kernels/formats/rle.h"
#include "kernels/formats/rule_string.h"

namespace gpusim::formats {
namespace {

constexpr std::size_t kLineLength = 70;

// Packs tokens into lines: a count is never parted from its tag.
class TokenLines {
 public:
  explicit TokenLines(std::string header) : text_(std::move(header)), line_start_(text_.size()) {}

  void Add(std::uint64_t count, char tag) {
    char token[24];
    char* end = token;
    if (count > 1) end = std::to_chars(token, std::end(token) - 1, count).ptr;
    *end++ = tag;
    const auto length = static_cast<std::size_t>(end - token);
    if (text_.size() - line_start_ + length > kLineLength) EndLine();
    text_.append(token, length);
  }

  void EndLine() {
    text_ += '\n';
    line_start_ = text_.size();
  }

  std::size_t size() const { return text_.size(); }
  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  std::size_t line_start_;
};

std::string HeaderLines(const Region& region, const RleHeader& header) {
  std::string text;
  if (header.golly_position || header.generation) {
    text += "#CXRLE";
    if (header.golly_position) {
      text += " Pos=" + std::to_string(header.golly_position->x) + "," +
              std::to_string(header.golly_position->y);
    }
    if (header.generation) text += " Gen=" + std::to_string(*header.generation);
    text += '\n';
  }
  text += "x = " + std::to_string(region.width) + ", y = " + std::to_string(region.height) +
          ", rule = " + FormatRule(header.rule);
  if (header.grid) text += ":" + FormatGridSuffix(*header.grid);
  return text + '\n';
}

}  // namespace

tl::expected<std::string, OutputTooLarge> WriteRle(const life::Board& board, const Region& region,
                                                   const RleHeader& header,
                                                   std::uint64_t max_bytes) {
  constexpr std::uint64_t kEndBytes = 3;  // at most: a line end, the end mark, a line end
  const auto full = [&](std::uint64_t bytes) {
    return bytes > max_bytes || max_bytes - bytes < kEndBytes;
  };
  TokenLines lines(HeaderLines(region, header));
  const std::uint64_t x_end = std::uint64_t{region.x} + region.width;
  std::uint32_t written_row = 0;
  for (std::uint32_t row = 0; row < region.height; ++row) {
    std::uint64_t x = region.x;
    for (Columns run = NextLiveRun(board, region.y + row, x, x_end); !run.Empty();
         run = NextLiveRun(board, region.y + row, x, x_end)) {
      if (row > written_row) lines.Add(row - written_row, '$');
      written_row = row;
      if (run.begin > x) lines.Add(run.begin - x, 'b');
      lines.Add(run.end - run.begin, 'o');
      x = run.end;
      if (full(lines.size())) return tl::unexpected(OutputTooLarge{max_bytes});
    }
  }
  if (full(lines.size())) return tl::unexpected(OutputTooLarge{max_bytes});
  lines.Add(1, '!');
  lines.EndLine();
  return lines.Take();
}

}  // namespace gpusim::formats
