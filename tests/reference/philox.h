// Philox4x32-10 as the paper states it: J. Salmon, M. Moraes, R. Dror, D. Shaw, "Parallel random
// numbers: as easy as 1, 2, 3", SC 2011. Shares no code with the engines' libraries.
#pragma once

#include <array>
#include <cstdint>

namespace gpusim::reference {

using PhiloxBlock = std::array<std::uint32_t, 4>;

// Block `block` of subsequence `subsequence` under the key `seed`.
inline PhiloxBlock Philox(std::uint64_t seed, std::uint64_t subsequence, std::uint64_t block) {
  std::uint64_t key_0 = seed & 0xFFFFFFFF, key_1 = seed >> 32;
  std::uint64_t r0 = block & 0xFFFFFFFF, l0 = block >> 32;
  std::uint64_t r1 = subsequence & 0xFFFFFFFF, l1 = subsequence >> 32;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product_0 = 0xD2511F53 * r0;
    const std::uint64_t product_1 = 0xCD9E8D57 * r1;
    r0 = product_1 >> 32 ^ l0 ^ key_0;
    l0 = product_1 & 0xFFFFFFFF;
    r1 = product_0 >> 32 ^ l1 ^ key_1;
    l1 = product_0 & 0xFFFFFFFF;
    key_0 = (key_0 + 0x9E3779B9) & 0xFFFFFFFF;  // the golden ratio
    key_1 = (key_1 + 0xBB67AE85) & 0xFFFFFFFF;  // the square root of 3, less 1
  }
  return {static_cast<std::uint32_t>(r0), static_cast<std::uint32_t>(l0),
          static_cast<std::uint32_t>(r1), static_cast<std::uint32_t>(l1)};
}

}  // namespace gpusim::reference
