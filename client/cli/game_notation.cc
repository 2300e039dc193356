#include "client/cli/game_notation.h"

#include <optional>

#include "client/camel_letters.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

std::optional<v1::Camel> FindCamel(v1::Edition edition, char letter) {
  const auto known = static_cast<Edition>(edition);
  const auto camel = CamelIndex(known, letter);
  if (!camel) return std::nullopt;
  return static_cast<v1::Camel>(CamelsOf(known)[*camel]);
}

std::string NoCamel(v1::Edition edition, char letter) {
  return "has '" + Printable({&letter, 1}) + "' where a camel of the edition is expected: " +
         std::string(CamelLetters(static_cast<Edition>(edition)));
}

bool IsSeparator(char c) { return c == ' ' || c == ',' || c == '\t' || c == '\n' || c == '\r'; }

}  // namespace

tl::expected<std::vector<v1::LegTicket>, std::string> ParseTickets(v1::Edition edition,
                                                                   std::string_view text) {
  std::vector<v1::LegTicket> tickets;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (IsSeparator(text[i])) continue;
    const auto camel = FindCamel(edition, text[i]);
    if (!camel) return tl::unexpected(NoCamel(edition, text[i]));
    ++i;
    if (i == text.size() || text[i] < '0' || text[i] > '9') {
      return tl::unexpected<std::string>("has a camel without its face value; write b5 g3");
    }
    tickets.emplace_back().set_camel(*camel);
    tickets.back().set_face(static_cast<std::uint32_t>(text[i] - '0'));
  }
  return tickets;
}

tl::expected<std::vector<v1::Camel>, std::string> ParseHand(v1::Edition edition,
                                                            std::string_view text) {
  std::vector<v1::Camel> hand;
  for (const char letter : text) {
    if (IsSeparator(letter)) continue;
    const auto camel = FindCamel(edition, letter);
    if (!camel) return tl::unexpected(NoCamel(edition, letter));
    hand.push_back(*camel);
  }
  return hand;
}

tl::expected<std::vector<v1::RaceCard>, std::string> ParsePile(v1::Edition edition,
                                                               std::string_view text) {
  std::vector<v1::RaceCard> pile;
  bool may_be_mine = false;  // the card before is known, and not marked yet
  for (const char c : text) {
    if (IsSeparator(c)) {
      may_be_mine = false;
    } else if (c == '!') {
      if (!may_be_mine) {
        return tl::unexpected<std::string>(
            "has a ! that stands behind no known card; write b! ? g");
      }
      pile.back().set_mine(true);
      may_be_mine = false;
    } else if (c == '?') {
      pile.emplace_back();
      may_be_mine = false;
    } else {
      const auto camel = FindCamel(edition, c);
      if (!camel) return tl::unexpected(NoCamel(edition, c));
      pile.emplace_back().set_camel(*camel);
      may_be_mine = true;
    }
  }
  return pile;
}

}  // namespace gpusim::cli
