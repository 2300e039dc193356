// Life boards for tests: the truths, random soups, and the one comparison that all engines go
// through.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "kernels/backend.h"
#include "kernels/life.h"
#include "tests/reference/life_reference.h"

namespace gpusim::testing {

struct LifeTruth {
  std::string name;
  std::string rule;  // "B3/S23"
  life::Board start;
  struct At {
    std::uint64_t generation = 0;
    std::uint64_t population = 0;
    std::string hash;  // 16 hex digits
  };
  std::vector<At> generations;  // ascending
};

// All of tests/data/life/torus.json, every one a torus.
std::vector<LifeTruth> LoadLifeTruths();

// "B36/S23" with digits only.
life::Rule PlainRule(const std::string& rule);

struct LifeCase {
  life::Board board;
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint32_t generations = 1;
};

// Cells alive with the given chance.
life::Board RandomBoard(std::uint32_t width, std::uint32_t height, double density,
                        std::mt19937_64& random);

struct LifeResult {
  life::Board board;
  std::uint64_t population = 0;
};

// All cases in one batch of the slot, whose columns are poisoned first.
std::vector<LifeResult> StepOnSlot(Slot& slot, const std::vector<LifeCase>& cases);

life::Board StepByReference(const LifeCase& life_case);

std::string Describe(const LifeCase& life_case);
std::string HexHash(const life::Board& board);

}  // namespace gpusim::testing
