// Answers that are known, for 'check': from independent solvers, not from this server.
#pragma once

#include <cstdint>
#include <span>

namespace gpusim::cli {

// Camels are in the order of the edition's letters.
struct LegTruth {
  const char* name;
  int edition;
  const char* stacks;
  const char* tiles;
  const char* dice;
  std::uint32_t total_weight;
  std::uint32_t rank_weight[5][5];
  std::uint32_t race_ends_weight;
  std::uint32_t race_ends_backward_weight;
};

// All dice, no tiles.
struct RaceTruth {
  int edition;
  const char* stacks;
  double win[5];
  double last[5];
  double expected_legs;
};

struct LifeTruth {
  const char* rle;
  const char* topology;
  std::int64_t x;
  std::int64_t y;
  std::uint64_t generations;
  std::uint64_t population;
  const char* hash;
};

std::span<const LegTruth> LegTruths();
std::span<const RaceTruth> RaceTruths();
std::span<const LifeTruth> LifeTruths();

}  // namespace gpusim::cli
