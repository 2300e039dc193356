// What a player holds and sees, as people write it; the letters are those of positions, in either
// case, and what is written together may stand apart.
//
//   tickets  b5 g3      camel and face value
//   hand     bgy        camels
//   piles    b! ? g     race cards from the first one placed to the last: a camel, ? for one that
//                       lies face down, ! behind a card of one's own
//
// An error is a phrase that follows the option and the value. Rules are the server's to check.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {

tl::expected<std::vector<v1::LegTicket>, std::string> ParseTickets(v1::Edition edition,
                                                                   std::string_view text);
tl::expected<std::vector<v1::Camel>, std::string> ParseHand(v1::Edition edition,
                                                            std::string_view text);
tl::expected<std::vector<v1::RaceCard>, std::string> ParsePile(v1::Edition edition,
                                                               std::string_view text);

}  // namespace gpusim::cli
