// What a single call has instead of its client's options.
#pragma once

#include <chrono>
#include <optional>

#include <gpusim/cancellation.h>

namespace gpusim {

// Interactive calls go first on the server, bulk calls keep a share of it.
enum class Priority { kUnspecified = 0, kInteractive = 1, kBulk = 2 };

struct CallOptions {
  std::optional<std::chrono::nanoseconds> timeout = {};  // unset: ClientOptions::timeout
  std::optional<Cancellation> cancellation = {};
  // Of calls that work on a device, and of the questions of a stream. Unspecified: interactive for single questions and boards, bulk
  // for columns, many at once and long runs.
  Priority priority = Priority::kUnspecified;
};

}  // namespace gpusim
