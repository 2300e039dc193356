// Facts of generations as columns, for tables, CSV and lines.
#pragma once

#include <string>
#include <vector>

#include "client/cli/terminal.h"
#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

// "generation", "population" and what the facts bring: "births", "deaths", "box_x", ...
std::vector<std::string> FactColumns(const std::vector<v1::Fact>& facts);

// Of generation and population, which come first.
constexpr int kCommonColumns = 2;

// An entry for each column. A box without cells is empty.
std::vector<std::string> FactValues(const v1::BoardFacts& row, const std::vector<v1::Fact>& facts);

// Both with aligned columns.
std::string FactsTable(const std::vector<v1::BoardFacts>& rows, const std::vector<v1::Fact>& facts);

// "TARGET"; the number of a reason that a newer server has.
std::string StopReasonText(v1::StopReason reason);

// "1.25e+06 generations/s"
std::string GenerationRate(double per_second);

// "3,4 10 x 20"
std::string BoxText(const v1::Region& box);

}  // namespace gpusim::cli
