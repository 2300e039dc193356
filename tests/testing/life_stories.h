// Faults that other programs had, each as a test of an engine whose expectation needs no other engine.
#pragma once

#include <ostream>
#include <vector>

#include "kernels/backend.h"

namespace gpusim::testing {

struct LifeStory {
  const char* name;
  void (*expect)(Slot& slot);

  friend std::ostream& operator<<(std::ostream& out, const LifeStory& story) {
    return out << story.name;
  }
};

std::vector<LifeStory> LifeStories();

}  // namespace gpusim::testing
