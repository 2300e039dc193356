#include "server/services/printable.h"

#include <algorithm>

namespace gpusim::server {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// Bytes of the UTF-8 character in front; 0 if there is none (cut short, overlong, a surrogate,
// beyond U+10FFFF).
std::size_t CharacterBytes(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  if (lead < 0x80) return 1;
  const std::size_t bytes = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < bytes) return 0;
  if (!std::all_of(text.begin() + 1, text.begin() + bytes, IsContinuation)) return 0;
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (lead == 0xe0 && second < 0xa0) || (lead == 0xf0 && second < 0x90);
  const bool outside = (lead == 0xed && second >= 0xa0) || (lead == 0xf4 && second >= 0x90);
  return overlong || outside ? 0 : bytes;
}

bool IsControl(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  // The second range is U+0080 to U+009F.
  return lead < 0x20 || lead == 0x7f ||
         (lead == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

void AppendEscaped(std::string_view bytes, std::string& out) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += "\\x";
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
}

}  // namespace

std::string Printable(std::string_view text, std::size_t max_bytes) {
  std::string out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t character = CharacterBytes(text.substr(at));
    const std::size_t bytes = std::max<std::size_t>(1, character);
    if (at + bytes > max_bytes) return out + "...";
    const std::string_view piece = text.substr(at, bytes);
    if (character == 0 || IsControl(piece)) {
      AppendEscaped(piece, out);
    } else {
      out += piece;
    }
    at += bytes;
  }
  return out;
}

}  // namespace gpusim::server
