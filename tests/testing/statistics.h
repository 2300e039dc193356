// Do tallies of simulations fit exact odds?
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

namespace gpusim::testing {

// A cell of a table: how often it was seen, and its chance times the number of trials.
struct Cell {
  double seen = 0;
  double expected = 0;
};

// Pearson's statistic in standard deviations of a normal one, by Wilson and Hilferty's cube root: above
// 3.72 for one in 1e4 of fair tables. Cells that expect less than 5 count as one. Infinite if something
// was seen that cannot be.
inline double ChiSquareSigmas(const std::vector<Cell>& cells) {
  std::vector<Cell> large;
  Cell rest;
  for (const Cell& cell : cells) {
    if (cell.expected == 0 && cell.seen > 0) return INFINITY;
    if (cell.expected >= 5) {
      large.push_back(cell);
    } else {
      rest.seen += cell.seen;
      rest.expected += cell.expected;
    }
  }
  if (rest.expected >= 5) large.push_back(rest);
  if (large.size() < 2) return 0;
  double chi_square = 0;
  for (const Cell& cell : large)
    chi_square += (cell.seen - cell.expected) * (cell.seen - cell.expected) / cell.expected;
  const double freedom = static_cast<double>(large.size()) - 1;
  const double spread = 2 / (9 * freedom);
  return (std::cbrt(chi_square / freedom) - (1 - spread)) / std::sqrt(spread);
}

// How far the mean of `trials` numbers is from `expected`, in standard errors; their sum and the sum of
// their squares are given. 0 where they are equal, infinite where all numbers are and the mean is not.
inline double MeanSigmas(double sum, double squares, double trials, double expected) {
  const double mean = sum / trials;
  if (std::abs(mean - expected) < 1e-12) return 0;
  const double variance = squares / trials - mean * mean;
  if (variance <= 0) return INFINITY;
  return std::abs(mean - expected) / std::sqrt(variance / trials);
}

// Of a figure that is 0 or 1 in a trial, by its known chance.
inline double ChanceSigmas(double seen, double trials, double chance) {
  if (std::abs(seen / trials - chance) < 1e-12) return 0;
  return std::abs(seen / trials - chance) / std::sqrt(chance * (1 - chance) / trials);
}

}  // namespace gpusim::testing
