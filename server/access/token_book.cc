#include "server/access/token_book.h"

#include <algorithm>

#include <openssl/crypto.h>
#include <openssl/sha.h>

namespace gpusim::access {
namespace {

constexpr std::size_t kMostNameBytes = 63;
constexpr std::string_view kBlanks = " \t\r\v\f";

std::vector<std::string_view> WordsOf(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
    if (line.empty()) return words;
    const std::string_view word = line.substr(0, line.find_first_of(kBlanks));
    words.push_back(word);
    line.remove_prefix(word.size());
  }
}

// By ASCII: no locale has a say.
bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool IsName(std::string_view text) {
  return text.size() <= kMostNameBytes && IsLetterOrDigit(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return IsLetterOrDigit(c) || c == '.' || c == '_' || c == '-'; });
}

bool IsToken(std::string_view text) {
  return text.size() >= TokenBook::kLeastTokenBytes && text.size() <= TokenBook::kMostTokenBytes &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

}  // namespace

TokenBook::Digest TokenBook::DigestOf(std::string_view token) {
  Digest digest;
  SHA256(reinterpret_cast<const unsigned char*>(token.data()), token.size(), digest.data());
  return digest;
}

std::string TokenBook::TakeLine(const std::vector<std::string_view>& words, std::size_t line) {
  if (words.size() != 3) return "a line is NAME ROLE TOKEN, with blanks between";
  if (!IsName(words[0]))
    return "the name has to be 1 to 63 letters, digits, '.', '_' or '-', the first a letter or "
           "digit";
  const auto role = ParseRole(words[1]);
  if (!role) return "the role has to be one of read, use and admin";
  if (!IsToken(words[2]))
    return "the token has to be " + std::to_string(kLeastTokenBytes) + " to " +
           std::to_string(kMostTokenBytes) + " visible ASCII characters";
  const Digest digest = DigestOf(words[2]);
  for (const Entry& entry : entries_) {
    if (entry.digest == digest)
      return "the token is that of line " + std::to_string(entry.line) + ", and each is for one";
    if (entry.identity.name == words[0] && entry.identity.role != *role)
      return "the name has another role in line " + std::to_string(entry.line);
  }
  if (entries_.size() == kMostTokens)
    return "there may be " + std::to_string(kMostTokens) + " tokens at the most";
  entries_.push_back({digest, {std::string(words[0]), *role}, line});
  return {};
}

tl::expected<TokenBook, std::vector<std::string>> TokenBook::Parse(std::string_view text,
                                                                   const std::string& file) {
  TokenBook book;
  std::vector<std::string> faults;
  for (std::size_t line = 1; !text.empty(); ++line) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<std::string_view> words = WordsOf(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty() || words.front().starts_with('#')) continue;
    const std::string fault = book.TakeLine(words, line);
    if (!fault.empty()) faults.push_back(file + ":" + std::to_string(line) + ": " + fault);
  }
  if (faults.empty() && book.entries_.empty())
    faults.push_back(file + ": there is no token in it, so nobody could call");
  if (!faults.empty()) return tl::unexpected(std::move(faults));
  return book;
}

std::optional<Identity> TokenBook::Find(std::string_view token) const {
  if (token.size() > kMostTokenBytes) return std::nullopt;
  const Digest digest = DigestOf(token);
  const Entry* found = nullptr;
  for (const Entry& entry : entries_) {
    if (CRYPTO_memcmp(entry.digest.data(), digest.data(), digest.size()) == 0) found = &entry;
  }
  if (found == nullptr) return std::nullopt;
  return found->identity;
}

}  // namespace gpusim::access
