#include "kernels/cpu/simulator.h"

#include <atomic>

#include <Random123/philox.h>

#include "kernels/rules/camel_up_draws.h"
#include "kernels/rules/camel_up_orders.h"

namespace gpusim::camel_up {
namespace {

using Philox = r123::Philox4x32;  // ten rounds

std::uint32_t Low(std::uint64_t word) { return static_cast<std::uint32_t>(word); }
std::uint32_t High(std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); }

// Of one edition and scope, so that the compiler sees both.
template <Edition kEdition, Scope kScope>
class Player {
 public:
  Player(const SimulationQuery& query, SimulationTally& tally)
      : query_(query),
        pyramid_(Pyramid::Of(DiceLeft(query.leg.board))),
        key_{{Low(query.stream.seed), High(query.stream.seed)}},
        tally_(tally) {}

  void Play(std::uint64_t i) {
    constexpr std::uint64_t kBlocks = kScope == Scope::kRace ? kRaceBlocks : kLegBlocks;
    const BlockPlace start = PlaceOf(query_.stream.subsequence, query_.offset, i, kBlocks);
    auto words = Words(start);
    Board board = query_.leg.board;
    const Finish finish = PlayFirstLeg(board, LegBits(words[0], words[1]));
    if constexpr (kScope == Scope::kRace) {
      if (finish != Finish::kNone) return CountRace(board, 1);
      for (std::uint32_t leg = 1;; ++leg) {
        const bool second_half = leg % 2 == 1;
        if (!second_half) words = Words(LegPlace(start, leg));
        const LegBits bits =
            second_half ? LegBits(words[2], words[3]) : LegBits(words[0], words[1]);
        if (PlayLeg(board, Tiles{0}, kEdition, Pyramid::Full(kEdition), bits, [](int) {}) !=
            Finish::kNone)
          return CountRace(board, leg + 1);
      }
    }
  }

 private:
  Philox::ctr_type Words(const BlockPlace& place) const {
    return Philox()(Philox::ctr_type{{Low(place.block), High(place.block), Low(place.subsequence),
                                      High(place.subsequence)}},
                    key_);
  }

  Finish PlayFirstLeg(Board& board, LegBits bits) {
    std::uint64_t landed = 0;  // three bits a space
    const Finish finish =
        PlayLeg(board, query_.leg.tiles, kEdition, pyramid_, bits, [&](int space) {
          ++tally_.landings[static_cast<std::size_t>(space)][landed >> (3 * space) & 7];
          landed += std::uint64_t{1} << (3 * space);
        });
    ++tally_.order[static_cast<std::size_t>(OrderOf(board))];
    ++tally_.finish[static_cast<std::size_t>(finish)];
    return finish;
  }

  void CountRace(Board board, std::uint64_t legs) {
    ++tally_.race_order[static_cast<std::size_t>(OrderOf(board))];
    tally_.legs += legs;
    tally_.legs_squared += legs * legs;
  }

  const SimulationQuery& query_;
  const Pyramid pyramid_;
  const Philox::key_type key_;
  SimulationTally& tally_;
};

template <Edition kEdition, Scope kScope>
void PlayAll(const SimulationQuery& query, std::uint64_t first, std::uint32_t count,
             SimulationTally& tally) {
  Player<kEdition, kScope> player(query, tally);
  for (std::uint64_t i = first; i < first + count; ++i) player.Play(i);
}

template <class Scalar>
void AddTo(Scalar& sum, Scalar value) {
  if (value != 0) std::atomic_ref<Scalar>(sum).fetch_add(value, std::memory_order_relaxed);
}

void AddOrders(const SimulationTally& tally, const OddsAnswers::ViewType& answers,
               std::size_t row) {
  std::array<std::uint32_t, kRacers * kRacers> ranks{}, pairs{};
  std::array<std::uint64_t, kRacers * kRacers> joint{};
  for (int order = 0; order < kOrders; ++order) {
    const std::uint32_t legs = tally.order[static_cast<std::size_t>(order)];
    const std::uint32_t races = tally.race_order[static_cast<std::size_t>(order)];
    if (legs == 0 && races == 0) continue;
    const auto [camel] = DecodeOrder(order);
    for (int place = 0; place < kRacers; ++place)
      ranks[static_cast<std::size_t>(RankComponent(camel[place], place))] += legs;
    pairs[static_cast<std::size_t>(PairComponent(camel[0], camel[1]))] += legs;
    joint[static_cast<std::size_t>(RaceComponent(camel[0], camel[kRacers - 1]))] += races;
  }
  for (std::size_t k = 0; k < kRacers * kRacers; ++k) {
    AddTo(answers.At<kRankWeight>(row, k), ranks[k]);
    AddTo(answers.At<kPairWeight>(row, k), pairs[k]);
    AddTo(answers.At<kRaceJoint>(row, k), joint[k]);
  }
}

void AddLandings(const SimulationQuery& query, const SimulationTally& tally,
                 const OddsAnswers::ViewType& answers, std::size_t row) {
  std::size_t tile = 0;
  for (int space = 1; space <= kSpaces; ++space) {
    if (TileAt(query.leg.tiles, space) == kNoTile) continue;
    std::uint32_t sum = 0;
    std::uint32_t squares = 0;
    std::uint32_t odd = 1;
    for (const std::uint32_t simulations : tally.landings[static_cast<std::size_t>(space)]) {
      sum += simulations;
      squares += odd * simulations;
      odd += 2;
    }
    AddTo(answers.At<kLandingWeight>(row, tile), sum);
    AddTo(answers.At<kLandingSquares>(row, tile), squares);
    ++tile;
  }
}

}  // namespace

void Simulate(const SimulationQuery& query, std::uint64_t first, std::uint32_t count,
              SimulationTally& tally) {
  const bool race = query.scope == Scope::kRace;
  if (query.leg.edition == Edition::kFirst) {
    if (race) return PlayAll<Edition::kFirst, Scope::kRace>(query, first, count, tally);
    return PlayAll<Edition::kFirst, Scope::kLeg>(query, first, count, tally);
  }
  if (race) return PlayAll<Edition::kSecond, Scope::kRace>(query, first, count, tally);
  return PlayAll<Edition::kSecond, Scope::kLeg>(query, first, count, tally);
}

void ClearAnswer(const OddsAnswers::ViewType& answers, std::size_t row) {
  for (std::size_t k = 0; k < kRacers * kRacers; ++k) {
    answers.At<kRankWeight>(row, k) = 0;
    answers.At<kPairWeight>(row, k) = 0;
    answers.At<kRaceJoint>(row, k) = 0;
  }
  for (std::size_t tile = 0; tile < kMaxTiles; ++tile) {
    answers.At<kLandingWeight>(row, tile) = 0;
    answers.At<kLandingSquares>(row, tile) = 0;
  }
  for (std::size_t k = 0; k < 2; ++k) {
    answers.At<kRaceEndsWeight>(row, k) = 0;
    answers.At<kRaceLegs>(row, k) = 0;
  }
}

void AddTally(const SimulationQuery& query, const SimulationTally& tally,
              const OddsAnswers::ViewType& answers, std::size_t row) {
  AddOrders(tally, answers, row);
  AddLandings(query, tally, answers, row);
  const std::uint32_t backward = tally.finish[static_cast<std::size_t>(Finish::kBackward)];
  AddTo(answers.At<kRaceEndsWeight>(row, 0),
        tally.finish[static_cast<std::size_t>(Finish::kForward)] + backward);
  AddTo(answers.At<kRaceEndsWeight>(row, 1), backward);
  AddTo(answers.At<kRaceLegs>(row, 0), tally.legs);
  AddTo(answers.At<kRaceLegs>(row, 1), tally.legs_squared);
}

}  // namespace gpusim::camel_up
