// From a board, or the weights of the finishing orders (OrderOf), to the figures of an answer, for host and
// device.
#pragma once

#include <cstdint>

#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/host_device.h"

namespace gpusim::camel_up {

// The camel in a place (0 is first) of an order's index.
struct FinishingOrder {
  int camel[kRacers];
};

GPUSIM_HOST_DEVICE constexpr FinishingOrder DecodeOrder(int order) {
  FinishingOrder finish{};
  int last = 0 + 1 + 2 + 3 + 4;
  for (int place = kRacers - 2; place >= 0; --place, order /= kRacers) {
    finish.camel[place] = order % kRacers;
    last -= finish.camel[place];
  }
  finish.camel[kRacers - 1] = last;
  return finish;
}

// The racing camels of a board by rank, 0 the last.
class RacersByRank {
 public:
  GPUSIM_HOST_DEVICE constexpr explicit RacersByRank(Board board) : racers_(RacersAlone(board)) {}

  GPUSIM_HOST_DEVICE constexpr int at(int rank) const { return CamelIn(racers_, rank); }
  GPUSIM_HOST_DEVICE constexpr int last() const { return at(0); }
  GPUSIM_HOST_DEVICE constexpr int winner() const { return at(kRacers - 1); }

 private:
  Board racers_;
};

// Component of kRankWeight for a camel and a place, of kPairWeight for a first and a second camel, and of
// kRaceJoint for a winner and a last one.
GPUSIM_HOST_DEVICE constexpr int RankComponent(int camel, int place) {
  return camel * kRacers + place;
}
GPUSIM_HOST_DEVICE constexpr int PairComponent(int first, int second) {
  return first * kRacers + second;
}
GPUSIM_HOST_DEVICE constexpr int RaceComponent(int winner, int last) {
  return winner * kRacers + last;
}

}  // namespace gpusim::camel_up
