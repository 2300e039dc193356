// Runs every kernel before the first request does.
#pragma once

#include <cstddef>
#include <span>

#include "kernels/backend.h"

namespace gpusim::kinds {

// Runs every kernel with the smallest batch and with one as large as the slot takes or, where that would be more work, as a
// chunk of the backend has; on a slot of the device, of that capacity, that nobody else uses. Lazy loading and first allocations happen now and
// not in the first request. `races`: the editions whose race table is in use.
DeviceResult<void> WarmUp(Backend& backend, std::size_t device, Slot& slot,
                          const SlotCapacity& capacity, std::span<const camel_up::Edition> races);

}  // namespace gpusim::kinds
