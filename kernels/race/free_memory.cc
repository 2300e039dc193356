#include "kernels/race/free_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace gpusim {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

// The number behind a word in a file of lines "word number"; `otherwise` where there is none.
std::uint64_t NumberBehind(const char* file, const std::string& word, std::uint64_t otherwise) {
  std::ifstream lines(file);
  std::string found;
  while (lines >> found) {
    std::uint64_t number = 0;
    if (found == word && lines >> number) return number;
    lines.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return otherwise;
}

// "max", or no such file, is no limit.
std::uint64_t NumberIn(const char* file, std::uint64_t otherwise) {
  std::uint64_t number = 0;
  std::ifstream text(file);
  return text >> number ? number : otherwise;
}

std::uint64_t LeftOf(std::uint64_t limit, std::uint64_t used, std::uint64_t cache) {
  const std::uint64_t taken = used - std::min(used, cache);
  return limit == kNoLimit ? kNoLimit : limit - std::min(limit, taken);
}

}  // namespace

std::uint64_t FreeMemory() {
  const std::uint64_t machine_kib = NumberBehind("/proc/meminfo", "MemAvailable:", kNoLimit / 1024);
  const std::uint64_t v2 = LeftOf(NumberIn("/sys/fs/cgroup/memory.max", kNoLimit),
                                  NumberIn("/sys/fs/cgroup/memory.current", 0),
                                  NumberBehind("/sys/fs/cgroup/memory.stat", "file", 0));
  const std::uint64_t v1 =
      LeftOf(NumberIn("/sys/fs/cgroup/memory/memory.limit_in_bytes", kNoLimit),
             NumberIn("/sys/fs/cgroup/memory/memory.usage_in_bytes", 0),
             NumberBehind("/sys/fs/cgroup/memory/memory.stat", "total_cache", 0));
  return std::min({machine_kib * 1024, v2, v1});
}

}  // namespace gpusim
