// How much memory this process can still have.
#pragma once

#include <cstdint>

namespace gpusim::server {

// Bytes: what the machine has available, or what the process's cgroup leaves where that is less. 0 if the
// system does not say.
std::uint64_t AvailableMemory();

}  // namespace gpusim::server
