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

// All that can be counted.
inline constexpr life::FactSet kAllFacts =
    life::kCountChanges | life::kFindBox | life::kMakeDigest | life::kMakeShapeDigest;

struct LifeCase {
  life::Board board;
  life::Rule rule = life::kConway;
  life::Topology topology = life::Topology::kTorus;
  std::uint32_t generations = 1;
  std::uint32_t facts_every = 0;
  life::FactSet fact_set = 0;
  life::Source source = life::Source::kCells;  // kRandom: of the board only the size counts
  std::uint64_t seed = 0;
  std::uint64_t threshold = 0;
};

// Cells alive with the given chance.
life::Board RandomBoard(std::uint32_t width, std::uint32_t height, double density,
                        std::mt19937_64& random);

struct LifeResult {
  life::Board board;
  std::uint64_t population = 0;
  std::vector<reference::LifeFacts> facts;  // row by row; what was not asked for is 0
};

// All cases in one batch of the slot, whose columns are poisoned first.
std::vector<LifeResult> StepOnSlot(Slot& slot, const std::vector<LifeCase>& cases);

// Where the passes of a resident run go.
enum class WorkBuffers { kTwoOthers, kOtherAndFrom };

// All cases, of Source::kCells, as resident boards in one batch of the slot. Buffers that are written are poisoned first;
// expects that `from` is as it was wherever it must be.
std::vector<LifeResult> StepResidents(Backend& backend, Slot& slot,
                                      const std::vector<LifeCase>& cases, WorkBuffers buffers);

// Words that no engine writes by accident, with padding bits 0.
life::Board PoisonedBoard(std::uint32_t width, std::uint32_t height);

LifeResult StepByReference(const LifeCase& life_case);

// Equal cells, populations and facts, the reference's being those that were asked for.
void ExpectSameResult(const LifeResult& result, const LifeCase& life_case);

std::string Describe(const LifeCase& life_case);
std::string HexHash(const life::Board& board);

}  // namespace gpusim::testing
