#include "server/kinds/until.h"

#include <bit>

namespace gpusim::kinds {

life::FactSet FactsFor(const Until& until) {
  switch (until.kind) {
    case Until::Kind::kStill:
      return life::kCountChanges;
    case Until::Kind::kPeriodAtMost:
      return life::kMakeDigest;
    case Until::Kind::kNever:
    case Until::Kind::kExtinct:
    case Until::Kind::kPopulationAtMost:
    case Until::Kind::kPopulationAtLeast:
      break;
  }
  return 0;
}

UntilWatch::UntilWatch(const Until& until) : until_(until) {
  if (until_.kind == Until::Kind::kPeriodAtMost) newest_.resize(std::bit_ceil(until_.bound));
}

std::optional<UntilWatch::Met> UntilWatch::Look(const life::Facts& facts, std::size_t row) {
  const bool start = looked_ == 0;
  bool met = false;
  switch (until_.kind) {
    case Until::Kind::kNever:
      break;
    case Until::Kind::kExtinct:
      met = facts.At<life::kPopulation>(row) == 0;
      break;
    case Until::Kind::kStill:
      met =
          !start && facts.At<life::kChanges>(row, 0) == 0 && facts.At<life::kChanges>(row, 1) == 0;
      break;
    case Until::Kind::kPeriodAtMost:
      return LookBack(facts.At<life::kDigest>(row));
    case Until::Kind::kPopulationAtMost:
      met = facts.At<life::kPopulation>(row) <= until_.bound;
      break;
    case Until::Kind::kPopulationAtLeast:
      met = facts.At<life::kPopulation>(row) >= until_.bound;
      break;
  }
  ++looked_;
  return met ? std::optional<Met>(Met{}) : std::nullopt;
}

// A chain goes from the newest generation of a bucket to older ones. Where it runs into a place that has been
// written again it may lead astray, into the chain of another bucket: that costs steps, as digests are compared in any
// case, and the first equal one is the youngest, as all equal ones are in one bucket. Ages grow, so it ends.
std::optional<UntilWatch::Met> UntilWatch::LookBack(std::uint64_t digest) {
  std::uint16_t& newest = newest_[digest & (newest_.size() - 1)];
  std::optional<Met> met;
  std::uint64_t age = 0;
  for (std::uint16_t link = newest; link != 0; link = past_[link - 1u].older) {
    const std::uint64_t older = AgeOf(link - 1u);
    if (older <= age) break;
    age = older;
    if (past_[link - 1u].digest == digest) {
      met = Met{static_cast<std::uint32_t>(age)};
      break;
    }
  }
  const std::size_t place = looked_ % until_.bound;
  if (place == past_.size()) past_.emplace_back();
  past_[place] = {digest, newest};
  newest = static_cast<std::uint16_t>(place + 1);
  ++looked_;
  return met;
}

// Of the generation at this place of the ring, before the next one is put there: 1 to `bound`.
std::uint64_t UntilWatch::AgeOf(std::size_t place) const {
  return until_.bound - (until_.bound + place - looked_ % until_.bound) % until_.bound;
}

std::uint64_t WatchBytes(const Until& until) {
  if (until.kind != Until::Kind::kPeriodAtMost) return 0;
  // A vector may have room for twice of what it holds.
  constexpr std::uint64_t kPastBytes = 2 * 16;
  return until.bound * kPastBytes + std::bit_ceil(until.bound) * sizeof(std::uint16_t);
}

}  // namespace gpusim::kinds
