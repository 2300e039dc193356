#include "server/race/available_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace gpusim::server {
namespace {

std::uint64_t OfTheMachine() {
  std::ifstream meminfo("/proc/meminfo");
  std::string name;
  std::uint64_t kibibytes = 0;
  while (meminfo >> name >> kibibytes) {
    if (name == "MemAvailable:") return kibibytes << 10;
    meminfo.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

// The number in a file of the cgroup; `missing` where there is none, or "max".
std::uint64_t CgroupNumber(const char* file, std::uint64_t missing) {
  std::ifstream in(std::string("/sys/fs/cgroup/") + file);
  std::uint64_t number = 0;
  return in >> number ? number : missing;
}

}  // namespace

std::uint64_t AvailableMemory() {
  constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t limit = CgroupNumber("memory.max", kNoLimit);
  const std::uint64_t used = CgroupNumber("memory.current", 0);
  const std::uint64_t left = limit == kNoLimit ? kNoLimit : limit - std::min(limit, used);
  return std::min(OfTheMachine(), left);
}

}  // namespace gpusim::server
