#include "client/request_id.h"

#include <random>

namespace gpusim {

std::string NewRequestId() {
  constexpr char kDigits[] = "0123456789abcdef";
  constexpr int kLength = 32;
  // The system's own source, which no two processes share.
  thread_local std::random_device source;
  std::string id;
  while (id.size() < kLength) {
    for (unsigned word = source(), i = 0; i < 8; ++i, word >>= 4) id += kDigits[word & 15];
  }
  return id;
}

}  // namespace gpusim
