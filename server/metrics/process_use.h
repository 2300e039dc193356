// What the operating system counts of this process.
#pragma once

#include "server/metrics/snapshot.h"

namespace gpusim::metrics {

// Reads /proc; what can not be read is 0. Thread-safe. Takes some microseconds, and more with thousands of open files.
ProcessUse ReadProcessUse();

}  // namespace gpusim::metrics
