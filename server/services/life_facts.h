// Conditions, facts and random fills of the Life calls, between their messages and the domain.
//
// Readers add what is wrong to `violations` and go on. All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <string>

#include "gpusim/v1/life.pb.h"
#include "kernels/batches.h"
#include "kernels/violation.h"
#include "server/kinds/life_run.h"
#include "server/kinds/until.h"

namespace gpusim::server {

struct FactChoice {
  life::FactSet set = 0;
  bool hash = false;
};

kinds::Until UntilOf(const v1::Until& until, Violations& violations);
FactChoice FactChoiceOf(const google::protobuf::RepeatedField<int>& facts, Violations& violations);
// Below which word of the stream a cell lives (kernels/rules/life_random.h). `field` is that of the fill.
std::uint64_t ThresholdOf(const v1::RandomFill& random, const std::string& field,
                          Violations& violations);

// 16 lower-case hex digits.
std::string DigestText(std::uint64_t digest);

// What is in `set`; the generation counts from `first`.
void FillBoardFacts(const kinds::LifeFacts& facts, life::FactSet set, std::uint64_t first,
                    v1::BoardFacts& message);
// Bytes of such a message at the most, as an entry of a repeated field.
std::uint64_t MaxBoardFactsBytes(life::FactSet set);

}  // namespace gpusim::server
