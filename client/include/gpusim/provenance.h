// How an answer was made.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace gpusim {

enum class AnsweredBy { kUnspecified = 0, kCpu = 1, kCuda = 2 };
enum class AnswerMethod { kUnspecified = 0, kExact = 1, kMonteCarlo = 2 };

// Where the random words of a simulation come from. The same stream gives the same bits, on any
// backend.
struct RandomStream {
  std::uint64_t seed = 0;
  std::uint64_t subsequence = 0;     // below 2^48
  std::uint64_t offset = 0;          // in blocks of four 32-bit words, below 2^56
  std::uint32_t stream_version = 0;  // in a request 0 or the server's

  friend bool operator==(const RandomStream&, const RandomStream&) = default;
};

struct Provenance {
  AnsweredBy backend = AnsweredBy::kUnspecified;
  std::string device = {};  // "NVIDIA H200" or "CPU, 16 threads"
  AnswerMethod method = AnswerMethod::kUnspecified;
  std::optional<RandomStream> stream = {};  // Monte Carlo alone
  bool cached = false;                      // an exact answer that was worked out before
};

}  // namespace gpusim
