#include "server/services/life_facts.h"

#include <cstdio>

#include "kernels/rules/life_random.h"

namespace gpusim::server {

kinds::Until UntilOf(const v1::Until& until, Violations& violations) {
  using Kind = kinds::Until::Kind;
  const auto asked = [&](bool asked, const char* field) {
    if (!asked) violations.push_back({field, "false", "true, or leave it out"});
  };
  switch (until.condition_case()) {
    case v1::Until::kExtinct:
      asked(until.extinct(), "until.extinct");
      return {Kind::kExtinct, 0};
    case v1::Until::kStill:
      asked(until.still(), "until.still");
      return {Kind::kStill, 0};
    case v1::Until::kPeriodAtMost:
      if (until.period_at_most() == 0 || until.period_at_most() > kinds::kMaxPeriod)
        violations.push_back({"until.period_at_most", std::to_string(until.period_at_most()),
                              "1 to " + std::to_string(kinds::kMaxPeriod)});
      return {Kind::kPeriodAtMost, until.period_at_most()};
    case v1::Until::kPopulationAtMost:
      return {Kind::kPopulationAtMost, until.population_at_most()};
    case v1::Until::kPopulationAtLeast:
      return {Kind::kPopulationAtLeast, until.population_at_least()};
    case v1::Until::CONDITION_NOT_SET:
      break;
  }
  return {};
}

FactChoice FactChoiceOf(const google::protobuf::RepeatedField<int>& facts, Violations& violations) {
  FactChoice choice;
  for (int i = 0; i < facts.size(); ++i) {
    switch (facts[i]) {
      case v1::FACT_CHANGES:
        choice.set |= life::kCountChanges;
        break;
      case v1::FACT_BOX:
        choice.set |= life::kFindBox;
        break;
      case v1::FACT_DIGEST:
        choice.set |= life::kMakeDigest;
        break;
      case v1::FACT_SHAPE_DIGEST:
        choice.set |= life::kMakeShapeDigest;
        break;
      case v1::FACT_HASH:
        choice.hash = true;
        break;
      default:
        violations.push_back({"facts[" + std::to_string(i) + "]", std::to_string(facts[i]),
                              "one of FACT_CHANGES, _BOX, _DIGEST, _SHAPE_DIGEST and _HASH"});
    }
  }
  return choice;
}

std::uint64_t ThresholdOf(const v1::RandomFill& random, const std::string& field,
                          Violations& violations) {
  const double density = random.density();
  if (density >= 0 && density <= 1) return life::ThresholdOf(density);
  char text[32];
  std::snprintf(text, sizeof text, "%g", density);
  violations.push_back({field + ".density", text, "0 to 1"});
  return 0;
}

std::string DigestText(std::uint64_t digest) {
  std::string text(16, '0');
  for (int i = 15; i >= 0; --i, digest >>= 4)
    text[static_cast<std::size_t>(i)] = "0123456789abcdef"[digest & 15];
  return text;
}

void FillBoardFacts(const kinds::LifeFacts& facts, life::FactSet set, std::uint64_t first,
                    v1::BoardFacts& message) {
  message.set_generation(first + facts.generation);
  message.set_population(facts.population);
  if ((set & life::kCountChanges) != 0) {
    message.set_births(facts.births);
    message.set_deaths(facts.deaths);
  }
  if ((set & life::kFindBox) != 0 && facts.population != 0) {
    v1::Region& box = *message.mutable_box();
    box.set_x(facts.box[0]);
    box.set_y(facts.box[1]);
    box.set_width(facts.box[2]);
    box.set_height(facts.box[3]);
  }
  if ((set & life::kMakeDigest) != 0) message.set_digest(DigestText(facts.digest));
  if ((set & life::kMakeShapeDigest) != 0) message.set_shape_digest(DigestText(facts.shape_digest));
}

std::uint64_t MaxBoardFactsBytes(life::FactSet set) {
  constexpr std::uint64_t kNumber = 11;  // of 64 bits, with its tag
  constexpr std::uint64_t kFrame = 3;
  constexpr std::uint64_t kBox = 2 + 4 * 6;
  constexpr std::uint64_t kDigest = 2 + 16;
  return kFrame + 2 * kNumber + ((set & life::kCountChanges) != 0 ? 2 * kNumber : 0) +
         ((set & life::kFindBox) != 0 ? kBox : 0) + ((set & life::kMakeDigest) != 0 ? kDigest : 0) +
         ((set & life::kMakeShapeDigest) != 0 ? kDigest : 0);
}

}  // namespace gpusim::server
