// Solves a race table and prints how long that took, how much memory, and a checksum of its rows, by
// which tables of different backends are compared:
//
//   race_bench EDITION BACKEND [THREADS [FOLDER]]
//   EDITION 1 or 2; BACKEND cpu or cuda; THREADS of the CPU, 0 for all; FOLDER to write the file to
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include <sys/resource.h>

#include "kernels/backend.h"
#include "kernels/race/race_table_file.h"

namespace {

using gpusim::camel_up::Edition;
using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

int Fail(const std::string& why) {
  std::fprintf(stderr, "race_bench: %s\n", why.c_str());
  return 1;
}

// Prints each sweep once.
class Sweeps {
 public:
  bool operator()(const gpusim::camel_up::RaceSolveProgress& progress) {
    if (progress.sweeps == printed_) return true;
    printed_ = progress.sweeps;
    std::printf("%8.3f s  sweep %2d  missing %-12g  %5.1f %%\n", SecondsSince(begin_), printed_,
                progress.missing, 100 * progress.fraction);
    std::fflush(stdout);
    return true;
  }
  int count() const { return printed_; }

 private:
  Clock::time_point begin_ = Clock::now();
  int printed_ = 0;
};

int Solve(gpusim::Backend& backend, Edition edition, int threads, const std::string& folder) {
  Sweeps sweeps;
  const auto begin = Clock::now();
  const auto table = backend.SolveRaceTable(edition, threads, std::ref(sweeps));
  if (!table) return Fail(table.error().what);
  const double seconds = SecondsSince(begin);
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const std::uint64_t checksum =
      gpusim::camel_up::RaceChecksum(std::as_bytes((*table)->rows()));
  std::printf("edition %d  %s  %.3f s  %d sweeps  peak %.2f GiB  rows %016llx\n",
              static_cast<int>(edition), backend.devices()[0].name.c_str(), seconds, sweeps.count(),
              static_cast<double>(usage.ru_maxrss) / (1 << 20),
              static_cast<unsigned long long>(checksum));
  if (folder.empty()) return 0;
  const auto written_from = Clock::now();
  const std::string path = gpusim::camel_up::RaceTablePath(folder, edition);
  if (const auto written = gpusim::camel_up::WriteRaceTable(path, **table); !written)
    return Fail(written.error().what);
  const auto opened_from = Clock::now();
  if (const auto opened = gpusim::camel_up::OpenRaceTable(path, edition); !opened)
    return Fail(opened.error().what);
  std::printf("%s: written in %.3f s, opened in %.3f s\n", path.c_str(),
              std::chrono::duration<double>(opened_from - written_from).count(),
              SecondsSince(opened_from));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || argc > 5)
    return Fail("usage: race_bench EDITION(1|2) BACKEND(cpu|cuda) [THREADS [FOLDER]]");
  const Edition edition = std::string(argv[1]) == "1" ? Edition::kFirst : Edition::kSecond;
  const int threads = argc > 3 ? std::atoi(argv[3]) : 0;
  const std::string folder = argc > 4 ? argv[4] : "";
  if (std::string(argv[2]) == "cpu")
    return Solve(*gpusim::MakeCpuBackend(threads), edition, threads, folder);
  const auto cuda = gpusim::MakeCudaBackend();
  return cuda ? Solve(**cuda, edition, threads, folder) : Fail(cuda.error().what);
}
