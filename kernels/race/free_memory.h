#pragma once

#include <cstdint>

namespace gpusim {

// Bytes that this process may still take before something is killed for it: what the machine has left,
// and no more than its control group's limit leaves (v2, v1). Page cache counts as free. Linux
// promises memory that is not there, so whoever needs gigabytes has to ask.
std::uint64_t FreeMemory();

}  // namespace gpusim
