#include "server/race/race_tables.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <utility>

#include <sys/resource.h>
#include <unistd.h>

#include "kernels/race/free_memory.h"
#include "kernels/race/race_table_file.h"

namespace gpusim::server {
namespace {

using camel_up::Edition;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

// Of the second edition's solver on a CPU.
constexpr std::uint64_t kSolverBytes = std::uint64_t{12} << 30;

const char* NameOf(Edition edition) { return edition == Edition::kFirst ? "first" : "second"; }

std::string HowToBuild(Edition edition) {
  return std::string("gpusim-server --build-race-table ") +
         (edition == Edition::kFirst ? "1" : "2") + " --race-table-dir DIR makes the file";
}

// For this thread and those that it starts.
void TakeLowestPriority() {
  constexpr int kLowest = 19;
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kLowest);
}

TableMemory MemoryFor(const ServerOptions& options, const Backend& backend) {
  const bool device =
      backend.kind() == BackendKind::kCuda && options.race_table_memory == RaceTableMemory::kDevice;
  return device ? TableMemory::kDevice : TableMemory::kHost;
}

}  // namespace

milliseconds SolvePace::Left(steady_clock::time_point now, double fraction) {
  if (fraction <= 0 || fraction >= 1) return milliseconds(0);
  if (first_fraction_ <= 0) {
    first_ = now;
    first_fraction_ = fraction;
  }
  if (fraction <= first_fraction_) return milliseconds(0);
  const std::chrono::duration<double, std::milli> spent = now - first_;
  return std::chrono::ceil<milliseconds>(spent * (1 - fraction) / (fraction - first_fraction_));
}

RaceTables::RaceTables(const ServerOptions& options, Backend& backend,
                       std::shared_ptr<spdlog::logger> log)
    : options_(options), backend_(backend), log_(std::move(log)) {}

RaceTables::~RaceTables() {
  stopping_ = true;
  if (behind_.joinable()) behind_.join();
}

tl::expected<void, std::string> RaceTables::Start() {
  for (const Edition edition : {Edition::kFirst, Edition::kSecond}) {
    DeviceResult<void> ready;
    if (std::error_code error; std::filesystem::exists(FileOf(edition), error)) {
      ready = Open(edition);
    } else if (const std::string why = WhyNotSolved(edition); !why.empty()) {
      TurnOff(edition, why);
    } else if (IsQuick(edition)) {
      ready = Solve(edition);
    } else {
      Set(edition, {.state = RaceTableState::kSolving, .file = {}, .reason = {}});
      behind_ = std::thread([this, edition] { SolveBehind(edition); });
    }
    if (ready) continue;
    if (ready.error().sticky) return tl::unexpected("race table: " + ready.error().what);
    TurnOff(edition, ready.error().what);
  }
  return {};
}

RaceTableReport RaceTables::Report(Edition edition) const {
  const batching::MutexLock lock(mutex_);
  return reports_[static_cast<std::size_t>(edition) - 1];
}

std::vector<Edition> RaceTables::ReadyEditions() const {
  std::vector<Edition> ready;
  for (const Edition edition : {Edition::kFirst, Edition::kSecond})
    if (Report(edition).state == RaceTableState::kReady) ready.push_back(edition);
  return ready;
}

void RaceTables::Set(Edition edition, RaceTableReport report) {
  const batching::MutexLock lock(mutex_);
  reports_[static_cast<std::size_t>(edition) - 1] = std::move(report);
}

std::string RaceTables::FileOf(Edition edition) const {
  if (options_.race_table_dir.empty()) return {};
  return camel_up::RaceTablePath(options_.race_table_dir, edition);
}

bool RaceTables::IsQuick(Edition edition) const {
  return edition == Edition::kFirst || backend_.kind() == BackendKind::kCuda;
}

std::string RaceTables::WhyNotSolved(Edition edition) const {
  if (options_.race_table_solving == RaceTableSolving::kOff)
    return "--race-table-solving is off; " + HowToBuild(edition);
  if (IsQuick(edition) || options_.race_table_solving == RaceTableSolving::kOn) return {};
  if (options_.race_table_dir.empty())
    return "solving it on a CPU takes minutes, and there is no --race-table-dir to keep it in; " +
           HowToBuild(edition) + ", --race-table-solving on solves it all the same";
  if (const auto writable = camel_up::CheckRaceTablePlace(FileOf(edition)); !writable)
    return writable.error().what + ", so that what takes minutes on a CPU could not be kept";
  if (FreeMemory() < kSolverBytes)
    return "solving it on a CPU takes 12 GiB of memory, which are not available; " +
           HowToBuild(edition) + " on a larger machine";
  return {};
}

DeviceResult<void> RaceTables::Open(Edition edition) {
  auto table = camel_up::OpenRaceTable(FileOf(edition), edition);
  if (table) return Use(edition, *std::move(table), FileOf(edition));
  log_->error("race table refused: {}", table.error().what);
  TurnOff(edition, table.error().what + "; " + HowToBuild(edition) + " anew");
  return {};
}

DeviceResult<void> RaceTables::Solve(Edition edition) {
  const auto started = steady_clock::now();
  SolvePace pace;
  int next_percent = 10;
  const auto watch = [&](const camel_up::RaceSolveProgress& progress) {
    const milliseconds remaining = pace.Left(steady_clock::now(), progress.fraction);
    Set(edition, {.state = RaceTableState::kSolving,
                  .fraction = progress.fraction,
                  .remaining = remaining,
                  .file = {},
                  .reason = {}});
    if (!IsQuick(edition) && progress.fraction * 100 >= next_percent) {
      log_->info("race table of the {} edition: {:.0f}% solved, {} s left", NameOf(edition),
                 progress.fraction * 100, std::chrono::ceil<seconds>(remaining).count());
      next_percent = static_cast<int>(progress.fraction * 10) * 10 + 10;
    }
    return !stopping_.load();
  };
  log_->info("race table of the {} edition: solving", NameOf(edition));
  auto table = backend_.SolveRaceTable(edition, 0, watch);
  if (!table) return tl::unexpected(std::move(table.error()));
  if (*table == nullptr) return {};  // stopped: nobody asks any more
  log_->info("race table of the {} edition: solved in {:.1f} s", NameOf(edition),
             std::chrono::duration<double>(steady_clock::now() - started).count());
  std::string file = Keep(edition, **table);
  return Use(edition, *std::move(table), std::move(file));
}

void RaceTables::SolveBehind(Edition edition) {
  TakeLowestPriority();
  if (const auto ready = Solve(edition); !ready) TurnOff(edition, ready.error().what);
}

// The file that it was written to; empty, with a line in the log, if that failed.
std::string RaceTables::Keep(Edition edition, const camel_up::RaceTable& table) {
  std::string file = FileOf(edition);
  if (file.empty()) return {};
  if (const auto written = camel_up::WriteRaceTable(file, table); !written) {
    log_->error("race table not kept: {}", written.error().what);
    return {};
  }
  log_->info("race table of the {} edition: written to {}", NameOf(edition), file);
  return file;
}

DeviceResult<void> RaceTables::Use(Edition edition, Table table, std::string file) {
  const TableMemory memory = MemoryFor(options_, backend_);
  const std::uint64_t bytes = table->bytes();
  if (auto used = backend_.UseRaceTable(std::move(table), memory); !used) return used;
  log_->info("race table of the {} edition: ready, {} MiB in {} memory", NameOf(edition),
             bytes >> 20, memory == TableMemory::kDevice ? "device" : "host");
  Set(edition, {.state = RaceTableState::kReady,
                .fraction = 1,
                .remaining = {},
                .bytes = bytes,
                .memory = memory,
                .file = std::move(file),
                .reason = {}});
  return {};
}

void RaceTables::TurnOff(Edition edition, std::string reason) {
  log_->info("race table of the {} edition: off: {}", NameOf(edition), reason);
  Set(edition, {.state = RaceTableState::kOff,
                .fraction = 0,
                .remaining = {},
                .bytes = 0,
                .memory = TableMemory::kHost,
                .file = {},
                .reason = std::move(reason)});
}

tl::expected<void, std::string> BuildRaceTable(Edition edition, const ServerOptions& options,
                                               Backend& backend) {
  const std::string file = camel_up::RaceTablePath(options.race_table_dir, edition);
  if (auto writable = camel_up::CheckRaceTablePlace(file); !writable)
    return tl::unexpected(std::move(writable.error().what));
  SolvePace pace;
  const bool redraw = isatty(STDERR_FILENO) == 1;
  int shown_percent = -1;
  const auto watch = [&](const camel_up::RaceSolveProgress& progress) {
    const int percent = static_cast<int>(progress.fraction * 100);
    if (percent / (redraw ? 1 : 10) == shown_percent / (redraw ? 1 : 10) && shown_percent >= 0)
      return true;
    shown_percent = percent;
    const auto left = std::chrono::ceil<seconds>(pace.Left(steady_clock::now(), progress.fraction));
    std::fprintf(stderr, "%srace table of the %s edition: %3d%%, sweep %d, %lld s left%s",
                 redraw ? "\r" : "", NameOf(edition), percent, progress.sweeps,
                 static_cast<long long>(left.count()), redraw ? "   " : "\n");
    return true;
  };
  auto table = backend.SolveRaceTable(edition, 0, watch);
  if (redraw && shown_percent >= 0) std::fputc('\n', stderr);
  if (!table) return tl::unexpected("race table: " + table.error().what);
  if (auto written = camel_up::WriteRaceTable(file, **table); !written)
    return tl::unexpected(std::move(written.error().what));
  std::printf("%s\n", file.c_str());
  return {};
}

}  // namespace gpusim::server
