// The leg tickets of one camel: a pile from which the top one is taken.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "kernels/moves/moves.h"
#include "kernels/rules/camel_up_board.h"

namespace gpusim::camel_up {

// Face values, the top one first.
inline std::span<const int> TicketPile(Edition edition) {
  static constexpr std::array<int, 4> kFaces{5, 3, 2, 2};
  return std::span(kFaces).first(edition == Edition::kFirst ? 3 : 4);
}

// What may still lie there when a player holds some of the pile: everything below the lowest of them.
inline std::span<const int> PileBelow(Edition edition, Camel camel,
                                      std::span<const LegTicket> held) {
  const std::span<const int> pile = TicketPile(edition);
  std::size_t gone = 0;
  for (std::size_t i = 0; i < pile.size(); ++i) {
    const auto same_above =
        std::count(pile.begin(), pile.begin() + static_cast<std::ptrdiff_t>(i), pile[i]);
    if (std::count(held.begin(), held.end(), LegTicket{camel, pile[i]}) > same_above) gone = i + 1;
  }
  return pile.subspan(gone);
}

// Face value of the ticket that the player would get of each camel, 0 where there is none.
inline std::array<int, kRacers> TicketsToTake(const MovesQuestion& question) {
  std::array<int, kRacers> faces{};
  for (const LegTicket& ticket : question.tickets) faces[ticket.camel] = ticket.face;
  if (!question.tickets.empty()) return faces;
  for (Camel camel = 0; camel < kRacers; ++camel) {
    const auto left = PileBelow(question.position.edition, camel, question.held_tickets);
    faces[camel] = left.empty() ? 0 : left.front();
  }
  return faces;
}

}  // namespace gpusim::camel_up
