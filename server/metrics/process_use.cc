#include "server/metrics/process_use.h"

#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <system_error>

#include <sys/resource.h>
#include <unistd.h>

namespace gpusim::metrics {
namespace {

double SecondsOf(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Field 22 of /proc/self/stat counts ticks from the start of the machine. The second field, the program's name in
// parentheses, may hold anything.
double StartTime() {
  std::ifstream file("/proc/self/stat");
  file.ignore(std::numeric_limits<std::streamsize>::max(), ')');
  std::string skipped;
  for (int field = 3; field < 22; ++field) file >> skipped;
  double ticks = 0;
  if (!(file >> ticks)) return 0;
  return SecondsOf(CLOCK_REALTIME) - SecondsOf(CLOCK_BOOTTIME) +
         ticks / static_cast<double>(sysconf(_SC_CLK_TCK));
}

std::uint64_t ResidentBytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t all_pages = 0;
  std::uint64_t resident_pages = 0;
  file >> all_pages >> resident_pages;
  return resident_pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

std::uint64_t OpenFds() {
  std::error_code error;
  const std::filesystem::directory_iterator entries("/proc/self/fd", error);
  return error ? 0 : static_cast<std::uint64_t>(std::distance(begin(entries), end(entries)));
}

std::uint64_t MaxFds() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

ProcessUse ReadProcessUse() {
  static const double start_time = StartTime();
  return {.start_time_seconds = start_time,
          .cpu_seconds = SecondsOf(CLOCK_PROCESS_CPUTIME_ID),
          .resident_bytes = ResidentBytes(),
          .open_fds = OpenFds(),
          .max_fds = MaxFds()};
}

}  // namespace gpusim::metrics
