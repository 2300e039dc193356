// The tokens of a server, read from a text:
//
//   # NAME  ROLE   TOKEN
//   bots    use    3fJx...
//
// Invariants:
//   1. No token is kept, only its SHA-256; nor does any message hold one, or a word that may be one by mistake.
//   2. How long a look-up takes says nothing about the tokens: it compares with all of them, all bytes each.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "server/access/role.h"

namespace gpusim::access {

// Immutable, so thread-safe.
class TokenBook {
 public:
  static constexpr std::size_t kLeastTokenBytes = 16;
  static constexpr std::size_t kMostTokenBytes = 512;
  static constexpr std::size_t kMostTokens = 1000;

  // The error is one line for each fault, with the file, the line and the rule. `file` is only named. A text without any
  // token is a fault: nobody could call.
  static tl::expected<TokenBook, std::vector<std::string>> Parse(std::string_view text,
                                                                 const std::string& file);

  std::optional<Identity> Find(std::string_view token) const;
  std::size_t size() const { return entries_.size(); }

 private:
  using Digest = std::array<unsigned char, 32>;
  struct Entry {
    Digest digest;
    Identity identity;
    std::size_t line = 0;
  };

  static Digest DigestOf(std::string_view token);
  // Of a line that holds something. What is wrong with it; empty if it was taken in.
  std::string TakeLine(const std::vector<std::string_view>& words, std::size_t line);

  std::vector<Entry> entries_;
};

}  // namespace gpusim::access
