// Which race tables the exact race rows of a device may read, and where.
#pragma once

#include <array>
#include <atomic>
#include <string>

#include "kernels/backend.h"

namespace gpusim::camel_up {

// One pointer an edition, null until its table is in use. Thread-safe: slots may be running while a table
// is published. Does not own the rows, which have to outlive the slots.
class RaceRowsInUse {
 public:
  const RaceRow* of(Edition edition) const {
    return rows_[Index(edition)].load(std::memory_order_acquire);
  }

  void Publish(Edition edition, const RaceRow* rows) {
    rows_[Index(edition)].store(rows, std::memory_order_release);
  }

  // A fault that names the edition if a race row of the queries has no table.
  DeviceResult<void> Check(const ExactQueries& queries) const {
    for (std::size_t row = 0; row < queries.size(); ++row) {
      const Edition edition = queries.At<kEdition>(row);
      if (queries.At<kScope>(row) == Scope::kRace && of(edition) == nullptr)
        return tl::unexpected(DeviceFault{"the race table of " + Name(edition) +
                                          " is not in use, which an exact race row needs"});
    }
    return {};
  }

  // A fault if the edition's table is in use: its rows may be read, so no other takes its place.
  DeviceResult<void> CheckUnused(Edition edition) const {
    if (of(edition) == nullptr) return {};
    return tl::unexpected(DeviceFault{"the race table of " + Name(edition) + " is in use already"});
  }

 private:
  static std::size_t Index(Edition edition) { return edition == Edition::kFirst ? 0 : 1; }
  static std::string Name(Edition edition) {
    return edition == Edition::kFirst ? "the first edition" : "the second edition";
  }

  std::array<std::atomic<const RaceRow*>, 2> rows_{};
};

}  // namespace gpusim::camel_up
