#include "server/services/priority.h"

#include <string>

namespace gpusim::server {

tl::expected<batching::Priority, Violations> PriorityOf(v1::Priority asked,
                                                        batching::Priority unspecified) {
  switch (asked) {
    case v1::PRIORITY_UNSPECIFIED:
      return unspecified;
    case v1::PRIORITY_INTERACTIVE:
      return batching::Priority::kInteractive;
    case v1::PRIORITY_BULK:
      return batching::Priority::kBulk;
    default:  // a number that came over the wire
      break;
  }
  return tl::unexpected(Violations{{"priority", std::to_string(static_cast<int>(asked)),
                                    "PRIORITY_INTERACTIVE or PRIORITY_BULK, or unspecified"}});
}

}  // namespace gpusim::server
