#include "tests/testing/race_tables.h"

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include <gtest/gtest.h>

#include "kernels/camel_up.h"
#include "kernels/cpu/race_layer.h"
#include "kernels/rules/camel_up_leg.h"
#include "kernels/rules/camel_up_shape.h"
#include "tests/testing/camel_up_cases.h"

namespace gpusim::testing {
namespace {

using namespace camel_up;

// Ranks after a move or a leg of the camels that BoardOf() numbered by rank before it.
struct Ranks {
  explicit Ranks(Board board, Edition edition) {
    int rank = 0;
    for (int slot = 0; slot < CamelsOf(edition); ++slot)
      if (const int camel = CamelIn(board, slot); camel < kRacers) of[camel] = rank++;
  }
  int of[kRacers] = {};
};

// Calls leaf(board, race over, weight) for every path of the leg.
template <class Leaf>
void WalkLeg(Edition edition, Board board, std::uint64_t weight, const Leaf& leaf) {
  ForEachDraw(board, 0, edition, [&](const Draw& draw) {
    const int dice = leg_detail::CountBits(DiceLeft(draw.board));
    const std::uint64_t drawn = weight * draw.weight;
    if (draw.finish != Finish::kNone)
      leaf(draw.board, true, drawn * TotalWeight(edition, dice));
    else if (DrawsLeft(edition, dice) == 0)
      leaf(draw.board, false, drawn);
    else
      WalkLeg(edition, draw.board, drawn, leaf);
  });
}

// Sums of weight times units: exact.
struct RowSums {
  std::uint64_t joint[kJointNumbers] = {};
  std::uint64_t legs = 0;
};

RowSums SumOverLeg(const RaceTable& table, std::uint32_t shape) {
  const Edition edition = table.edition();
  RowSums sums;
  WalkLeg(edition, BoardOf(shape, edition), 1, [&](Board board, bool over, std::uint64_t weight) {
    const Ranks ranks(board, edition);
    const RaceRow* row = over ? nullptr : &table.rows()[camel_up::ShapeOf(board, edition)];
    sums.legs += weight << kLegsUnitBits;
    if (!over) sums.legs += weight * row->legs;
    for (int winner = 0; winner < kRacers; ++winner) {
      for (int last = 0; last < kRacers; ++last) {
        if (winner == last) continue;
        std::uint64_t& sum = sums.joint[JointComponent(winner, last)];
        const int w = ranks.of[winner];
        const int l = ranks.of[last];
        if (!over)
          sum += weight * row->joint[JointComponent(w, l)];
        else if (w == kRacers - 1 && l == 0)
          sum += weight << kJointUnitBits;
      }
    }
  });
  return sums;
}

// The greatest difference of the row from the mean, in units.
struct Difference {
  double joint = 0;
  double legs = 0;
};

Difference FixedPointDifference(const RaceTable& table, std::uint32_t shape) {
  const RowSums sums = SumOverLeg(table, shape);
  const RaceRow& row = table.rows()[shape];
  const auto total = static_cast<double>(TotalWeight(table.edition(), DiceOf(table.edition())));
  Difference difference;
  for (int i = 0; i < kJointNumbers; ++i) {
    const double mean = static_cast<double>(sums.joint[i]) / total;
    difference.joint =
        std::max(difference.joint, std::abs(mean - static_cast<double>(row.joint[i])));
  }
  difference.legs =
      std::abs(static_cast<double>(sums.legs) / total - static_cast<double>(row.legs));
  return difference;
}

}  // namespace

std::uint32_t ShapeOf(const reference::Position& position, std::string* racers) {
  const LegQuery query = Encode(ToDomain(position));
  racers->clear();
  for (int slot = 0; slot < CamelsOf(query.edition); ++slot)
    if (const int camel = CamelIn(query.board, slot); camel < kRacers)
      *racers += CamelLetter(query.edition, static_cast<Camel>(camel));
  return camel_up::ShapeOf(query.board, query.edition);
}

void ExpectTruths(const RaceTable& table, const std::vector<RaceTruth>& truths,
                  double truth_error) {
  ASSERT_FALSE(truths.empty());
  for (const RaceTruth& truth : truths) {
    SCOPED_TRACE(truth.name);
    std::string racers;
    const RaceRow& row = table.rows()[ShapeOf(truth.position, &racers)];
    for (int camel = 0; camel < kRacers; ++camel) {
      double win = 0;
      double last = 0;
      for (int other = 0; other < kRacers; ++other) {
        if (other == camel) continue;
        win += static_cast<double>(row.joint[JointComponent(camel, other)]) * 0x1p-40;
        last += static_cast<double>(row.joint[JointComponent(other, camel)]) * 0x1p-40;
      }
      const char letter = racers[static_cast<std::size_t>(camel)];
      EXPECT_NEAR(win, truth.win.at(letter), 4 * 0x1p-41 + truth_error);
      EXPECT_NEAR(last, truth.last.at(letter), 4 * 0x1p-41 + truth_error);
    }
    EXPECT_NEAR(std::ldexp(static_cast<double>(row.legs), -kLegsUnitBits), truth.legs,
                std::ldexp(0.5, -kLegsUnitBits) + 4 * truth_error);
    EXPECT_LT(row.legs >> kLegsUnitBits, 6u) << "sums of weight times legs may pass 2^63";
  }
}

void ExpectFixedPoints(const RaceTable& table, int count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<std::uint32_t> shapes;
  shapes.reserve(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i)
    shapes.push_back(static_cast<std::uint32_t>(random() % table.rows().size()));
  std::vector<Difference> differences(shapes.size());
  std::atomic<std::size_t> next = 0;
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < std::max(1u, std::thread::hardware_concurrency()); ++t)
    threads.emplace_back([&] {
      for (std::size_t i = next++; i < shapes.size(); i = next++)
        differences[i] = FixedPointDifference(table, shapes[i]);
    });
  for (std::thread& thread : threads) thread.join();
  // Half a unit for the row, half for the mean, and what is missing.
  constexpr double kMissingUnits = 0x1p40 * kMostMissing;
  // A race that is still on then goes on for less than 6 legs.
  const double missing_legs = std::ldexp(6 * kMostMissing, kLegsUnitBits);
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    EXPECT_LE(differences[i].joint, 1 + kMissingUnits) << "shape " << shapes[i];
    EXPECT_LE(differences[i].legs, 1 + missing_legs) << "shape " << shapes[i];
  }
}

RaceUniverse::RaceUniverse(Edition edition, std::uint32_t start) : edition_(edition) {
  const auto add = [this](std::uint32_t shape) {
    const auto [at, is_new] = number_of_.emplace(shape, size());
    if (is_new) shapes_.push_back(shape);
    return at->second;
  };
  const std::uint32_t over = ShapesOf(edition);
  RaceMove moves[kMostRaceMoves];
  add(start);
  std::size_t known = 0;
  for (int draw = 0; draw < kRaceLayers; ++draw) {
    const std::size_t reached = shapes_.size();
    for (; known < reached; ++known) {
      MakeRaceMoves(shapes_[known], edition, moves);
      for (int i = 0; i < moves_of_a_shape(); ++i)
        if (moves[i].shape() != over) add(moves[i].shape());
    }
  }
  for (std::uint32_t number = 0; number < size(); ++number) {
    MakeRaceMoves(shapes_[number], edition, moves);
    for (int i = 0; i < moves_of_a_shape(); ++i) {
      const auto found = number_of_.find(moves[i].shape());
      const std::uint32_t to = found == number_of_.end() ? size() : found->second;
      moves_.push_back(RaceMove::To(to, moves[i].permutation()));
    }
  }
}

std::vector<double> RaceUniverse::RandomValues(RacePart part, std::uint64_t seed) const {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(part == RacePart::kSymmetric ? 0 : -1, 1);
  std::vector<double> values(size() * kRaceNumbers);
  for (double& v : values) v = value(random);
  for (int i = 0; i < kRaceNumbers; ++i) values.push_back(RaceOverValue(part, i));
  return values;
}

std::vector<double> RaceUniverse::MeanOverLeg(RacePart part,
                                              const std::vector<double>& values) const {
  std::vector<double> sums(kRaceNumbers);
  WalkLeg(edition_, BoardOf(shapes_[0], edition_), 1,
          [&](Board board, bool over, std::uint64_t weight) {
            const Ranks ranks(board, edition_);
            const std::uint32_t number =
                over ? size() : number_of_.at(camel_up::ShapeOf(board, edition_));
            for (int b = 1; b < kRacers; ++b) {
              for (int a = 0; a < b; ++a) {
                const int low = std::min(ranks.of[a], ranks.of[b]);
                const int high = std::max(ranks.of[a], ranks.of[b]);
                const bool turned = part == RacePart::kAntisymmetric && ranks.of[a] > ranks.of[b];
                const double value =
                    values[number * kRaceNumbers + static_cast<std::size_t>(RaceNumber(low, high))];
                sums[static_cast<std::size_t>(RaceNumber(a, b))] +=
                    static_cast<double>(weight) * (turned ? -value : value);
              }
            }
          });
  for (double& sum : sums) sum /= static_cast<double>(TotalWeight(edition_, DiceOf(edition_)));
  return sums;
}

std::vector<double> SumLayerOnCpu(const RaceUniverse& universe, const RaceLayer& layer,
                                  RacePart part, const std::vector<double>& in) {
  const RaceLayerSums sums(layer, part);
  const auto moves = static_cast<std::size_t>(universe.moves_of_a_shape());
  std::vector<double> out((universe.size() + 1) * sums.to_row());
  for (std::size_t shape = 0; shape < universe.size(); ++shape)
    sums.SumShape(&universe.moves()[shape * moves], DiceOf(universe.edition()), in.data(),
                  &out[shape * sums.to_row()]);
  for (std::size_t i = 0; i < sums.to_row(); ++i)
    out[universe.size() * sums.to_row() + i] =
        RaceOverValue(part, static_cast<int>(i) % kRaceNumbers);
  return out;
}

}  // namespace gpusim::testing
