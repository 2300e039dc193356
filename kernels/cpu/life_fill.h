#pragma once

#include <cstdint>

#include "kernels/cpu/life_lanes.h"

namespace gpusim::life {

// Random cells (kernels/rules/life_random.h) in the rows [y, y + rows) of a board that is `width` wide; `out` is the
// first word of row y. A threshold of 0 clears.
void FillRows(const Lanes& lanes, std::uint32_t width, std::uint32_t y, std::uint32_t rows,
              std::uint64_t seed, std::uint64_t threshold, std::uint64_t* out);

}  // namespace gpusim::life
