// A GetOdds request as the command line makes it: the position in the notation of text.
#pragma once

#include <vector>

#include "gpusim/v1/camel_up.pb.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim::testing {

inline v1::GetOddsRequest Ask(const reference::Position& position,
                              const std::vector<v1::Output>& outputs) {
  v1::GetOddsRequest request;
  request.mutable_position()->set_edition(position.edition == 1 ? v1::EDITION_FIRST
                                                                : v1::EDITION_SECOND);
  request.mutable_position()->mutable_text()->set_stacks(StacksText(position));
  request.mutable_position()->mutable_text()->set_tiles(TilesText(position));
  request.mutable_position()->mutable_text()->set_dice(position.dice);
  for (const v1::Output output : outputs) request.add_outputs(output);
  return request;
}

}  // namespace gpusim::testing
