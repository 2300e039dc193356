#pragma once

#include <cstdlib>
#include <string>

namespace gpusim::testing {

// The folder tests/data: where it was when this was built, or where the environment says it is on
// the machine that the programs were taken to.
inline std::string TestData() {
  const char* elsewhere = std::getenv("GPUSIM_TEST_DATA");
  return elsewhere != nullptr ? elsewhere : GPUSIM_TEST_DATA;
}

}  // namespace gpusim::testing
