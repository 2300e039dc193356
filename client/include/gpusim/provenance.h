// How an answer was made.
#pragma once

#include <string>

namespace gpusim {

enum class AnsweredBy { kUnspecified = 0, kCpu = 1, kCuda = 2 };
enum class AnswerMethod { kUnspecified = 0, kExact = 1 };

struct Provenance {
  AnsweredBy backend = AnsweredBy::kUnspecified;
  std::string device = {};  // "NVIDIA H200" or "CPU, 16 threads"
  AnswerMethod method = AnswerMethod::kUnspecified;
};

}  // namespace gpusim
