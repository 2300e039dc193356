// Ids that make a repeat of a changing call harmless.
#pragma once

#include <string>

namespace gpusim {

// 32 random hex digits. Thread-safe.
std::string NewRequestId();

}  // namespace gpusim
