// The priority of a call's options, in its request.
#pragma once

#include <optional>

#include <gpusim/call_options.h>

#include "gpusim/v1/priority.pb.h"

namespace gpusim {

// The request with that priority; nothing where it stays as it is, as it names one itself or has none.
template <class Request>
std::optional<Request> WithPriority(const Request& request, Priority priority) {
  if constexpr (requires(Request changed) { changed.set_priority(v1::PRIORITY_BULK); }) {
    if (priority != Priority::kUnspecified && request.priority() == v1::PRIORITY_UNSPECIFIED) {
      std::optional<Request> changed = request;
      changed->set_priority(static_cast<v1::Priority>(priority));
      return changed;
    }
  }
  return std::nullopt;
}

}  // namespace gpusim
