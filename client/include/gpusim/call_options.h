// What a single call has instead of its client's options.
#pragma once

#include <chrono>
#include <optional>

#include <gpusim/cancellation.h>

namespace gpusim {

struct CallOptions {
  std::optional<std::chrono::nanoseconds> timeout = {};  // unset: ClientOptions::timeout
  std::optional<Cancellation> cancellation = {};
};

}  // namespace gpusim
