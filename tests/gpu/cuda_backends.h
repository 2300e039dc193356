// The CUDA backend, and the CPU's to compare it with.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include <gtest/gtest.h>

#include "kernels/backend.h"

namespace gpusim::testing {

// Random cases of a test; compute-sanitizer, which runs a hundred times slower, asks for fewer.
inline std::size_t Cases(std::size_t cases) {
  const char* divisor = std::getenv("GPUSIM_TEST_CASES_DIVIDED_BY");
  return divisor == nullptr ? cases
                            : std::max<std::size_t>(8, cases / std::strtoul(divisor, nullptr, 10));
}

// Made once a suite.
class CudaBackends : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    auto cuda = MakeCudaBackend();
    if (!cuda) {
      fault_ = cuda.error().what;
      return;
    }
    cuda_ = std::move(*cuda);
    cpu_ = MakeCpuBackend(0);
  }
  static void TearDownTestSuite() {
    cuda_.reset();
    cpu_.reset();
  }
  void SetUp() override {
    // Not skipped: this suite is only run where a GPU is expected.
    ASSERT_NE(cuda_, nullptr) << fault_;
  }

  static inline std::unique_ptr<Backend> cuda_, cpu_;
  static inline std::string fault_;
};

}  // namespace gpusim::testing
