// Where a server's race tables come from: solved before it is ready or behind it, kept in a file, read from
// it, refused, or off; and what it says of them meanwhile.
#include <atomic>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/sinks/null_sink.h>

#include "kernels/race/race_table_file.h"
#include "kernels/rules/camel_up_shape.h"
#include "server/batching/mutex.h"
#include "server/race/race_tables.h"
#include "tests/testing/wrapped_backend.h"

namespace gpusim::server {
namespace {

using camel_up::Edition;
using std::chrono::milliseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

// The CPU backend, whose solver of the second edition follows the test: it is a quarter done until it is
// told to go on, and its table is empty, since a whole one takes minutes.
class ScriptedBackend final : public testing::WrappedBackend {
 public:
  ScriptedBackend() : WrappedBackend(MakeCpuBackend(2)) {}

  DeviceResult<std::shared_ptr<const camel_up::RaceTable>> SolveRaceTable(
      Edition edition, int threads, const RaceSolveWatch& watch) override {
    ++solves;
    if (edition == Edition::kFirst) return WrappedBackend::SolveRaceTable(edition, threads, watch);
    bool wanted = true;
    while (wanted && !finish) {
      wanted = watch({.sweeps = 3, .missing = 0.5, .fraction = 0.25});
      std::this_thread::yield();
    }
    if (!wanted) {
      ++stopped;
      return std::shared_ptr<const camel_up::RaceTable>();
    }
    if (fails) return tl::unexpected(DeviceFault{.what = "no memory", .sticky = sticky});
    return std::make_shared<const camel_up::RaceTable>(edition, nullptr,
                                                       std::span<const camel_up::RaceRow>());
  }
  DeviceResult<void> UseRaceTable(std::shared_ptr<const camel_up::RaceTable> table,
                                  TableMemory memory) override {
    ++used;
    if (table->rows().empty()) return {};
    return WrappedBackend::UseRaceTable(std::move(table), memory);
  }

  std::atomic<int> solves = 0;
  std::atomic<int> stopped = 0;
  std::atomic<int> used = 0;
  std::atomic<bool> finish = false;
  std::atomic<bool> fails = false;
  bool sticky = false;
};

class RaceTablesTest : public ::testing::Test {
 protected:
  RaceTablesTest() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    folder_ = ::testing::TempDir() + "gpusim_race_tables_" + test->name();
    std::filesystem::remove_all(folder_);
    std::filesystem::create_directory(folder_);
  }
  ~RaceTablesTest() override { std::filesystem::remove_all(folder_); }

  std::unique_ptr<RaceTables> Start(Backend& backend) {
    auto tables = std::make_unique<RaceTables>(options_, backend, log_);
    started_ = tables->Start();
    return tables;
  }
  std::string FileOf(Edition edition) const { return camel_up::RaceTablePath(folder_, edition); }

  static RaceTableReport Await(const RaceTables& tables, Edition edition, RaceTableState state) {
    const auto give_up = std::chrono::steady_clock::now() + seconds(60);
    RaceTableReport report = tables.Report(edition);
    while (report.state != state && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::yield();
      report = tables.Report(edition);
    }
    EXPECT_EQ(report.state, state);
    return report;
  }

  std::string folder_;
  ServerOptions options_;
  ScriptedBackend backend_;
  tl::expected<void, std::string> started_;
  std::shared_ptr<spdlog::logger> log_ =
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::null_sink_mt>());
};

TEST_F(RaceTablesTest, TheFirstIsSolvedOnceAndReadFromThenOn) {
  options_.race_table_dir = folder_;
  options_.race_table_solving = RaceTableSolving::kAuto;
  std::string bytes;
  {
    backend_.finish = true;  // whether the second one is solved depends on the machine's memory
    const auto tables = Start(backend_);
    ASSERT_TRUE(started_.has_value()) << started_.error();
    const RaceTableReport report = tables->Report(Edition::kFirst);
    EXPECT_EQ(report.state, RaceTableState::kReady);
    EXPECT_EQ(report.file, FileOf(Edition::kFirst));
    EXPECT_EQ(report.bytes, camel_up::ShapesOf(Edition::kFirst) * sizeof(camel_up::RaceRow));
    EXPECT_EQ(report.memory, TableMemory::kHost);
    EXPECT_THAT(tables->ReadyEditions(), ::testing::Contains(Edition::kFirst));
  }
  std::filesystem::remove(FileOf(Edition::kSecond));
  options_.race_table_solving = RaceTableSolving::kOff;
  ScriptedBackend again;
  const auto tables = Start(again);
  EXPECT_EQ(tables->Report(Edition::kFirst).state, RaceTableState::kReady);
  EXPECT_EQ(tables->Report(Edition::kFirst).file, FileOf(Edition::kFirst));
  EXPECT_EQ(again.solves, 0);
}

TEST_F(RaceTablesTest, OffSaysHowToGetIt) {
  options_.race_table_solving = RaceTableSolving::kOff;
  const auto tables = Start(backend_);
  for (const Edition edition : {Edition::kFirst, Edition::kSecond}) {
    EXPECT_EQ(tables->Report(edition).state, RaceTableState::kOff);
    EXPECT_THAT(tables->Report(edition).reason, HasSubstr("--race-table-solving is off"));
  }
  EXPECT_THAT(tables->Report(Edition::kSecond).reason,
              HasSubstr("gpusim-server --build-race-table 2 --race-table-dir DIR"));
  EXPECT_EQ(backend_.solves, 0);
  EXPECT_TRUE(tables->ReadyEditions().empty());
}

TEST_F(RaceTablesTest, WithNowhereToKeepItTheSecondIsNotSolvedOnACpu) {
  const auto tables = Start(backend_);
  EXPECT_EQ(tables->Report(Edition::kFirst).state, RaceTableState::kReady);
  EXPECT_EQ(tables->Report(Edition::kSecond).state, RaceTableState::kOff);
  EXPECT_THAT(tables->Report(Edition::kSecond).reason, HasSubstr("no --race-table-dir"));
  EXPECT_EQ(backend_.solves, 1);
}

TEST_F(RaceTablesTest, TheSecondIsSolvedBehindTheServer) {
  options_.race_table_solving = RaceTableSolving::kOn;
  const auto tables = Start(backend_);
  ASSERT_TRUE(started_.has_value());
  RaceTableReport report = tables->Report(Edition::kSecond);
  EXPECT_EQ(report.state, RaceTableState::kSolving);
  while (report.fraction == 0) report = tables->Report(Edition::kSecond);
  EXPECT_EQ(report.fraction, 0.25);
  backend_.finish = true;
  report = Await(*tables, Edition::kSecond, RaceTableState::kReady);
  EXPECT_EQ(report.fraction, 1);
  EXPECT_EQ(report.remaining.count(), 0);
  EXPECT_EQ(backend_.used, 2);
}

TEST_F(RaceTablesTest, AServerThatGoesStopsTheSolver) {
  options_.race_table_solving = RaceTableSolving::kOn;
  Start(backend_).reset();
  EXPECT_EQ(backend_.stopped, 1);
}

TEST_F(RaceTablesTest, ASolverThatFailsIsTheReason) {
  options_.race_table_solving = RaceTableSolving::kOn;
  backend_.fails = true;
  backend_.finish = true;
  const auto tables = Start(backend_);
  ASSERT_TRUE(started_.has_value());
  EXPECT_THAT(Await(*tables, Edition::kSecond, RaceTableState::kOff).reason,
              HasSubstr("no memory"));
}

// A file that is not as it was written is no table, and nobody but a person decides to write over it.
TEST_F(RaceTablesTest, ADamagedFileIsRefusedByNameAndLeftAlone) {
  options_.race_table_dir = folder_;
  options_.race_table_solving = RaceTableSolving::kOn;
  backend_.finish = true;
  { std::ofstream(FileOf(Edition::kFirst)) << "something else"; }
  const auto tables = Start(backend_);
  ASSERT_TRUE(started_.has_value());
  const RaceTableReport report = tables->Report(Edition::kFirst);
  EXPECT_EQ(report.state, RaceTableState::kOff);
  EXPECT_THAT(report.reason, HasSubstr(FileOf(Edition::kFirst)));
  EXPECT_THAT(report.reason, HasSubstr("--build-race-table 1"));
  EXPECT_EQ(std::filesystem::file_size(FileOf(Edition::kFirst)), 14u);
  Await(*tables, Edition::kSecond, RaceTableState::kReady);
  EXPECT_EQ(backend_.solves, 1) << "the second alone";
}

TEST_F(RaceTablesTest, AskedForADamagedFileIsBuiltAnew) {
  options_.race_table_dir = folder_;
  { std::ofstream(FileOf(Edition::kFirst)) << "something else"; }
  const auto built = BuildRaceTable(Edition::kFirst, options_, backend_);
  ASSERT_TRUE(built.has_value()) << built.error();
  EXPECT_TRUE(camel_up::OpenRaceTable(FileOf(Edition::kFirst), Edition::kFirst).has_value());
  options_.race_table_dir = folder_ + "/not/there";
  const auto nowhere = BuildRaceTable(Edition::kFirst, options_, backend_);
  ASSERT_FALSE(nowhere.has_value());
  EXPECT_THAT(nowhere.error(), HasSubstr(options_.race_table_dir));
  // Told before the solve, which takes minutes for the second edition.
  const int solves_before = backend_.solves;
  EXPECT_FALSE(BuildRaceTable(Edition::kSecond, options_, backend_).has_value());
  EXPECT_EQ(backend_.solves, solves_before);
}

// A CPU spends seconds on memory before its first sweep: counted in, they made hours of the minutes that were left.
TEST(SolvePaceTest, CountsFromTheFirstStepThatWasDone) {
  const std::chrono::steady_clock::time_point start{};
  SolvePace pace;
  EXPECT_EQ(pace.Left(start, 0), milliseconds(0));
  EXPECT_EQ(pace.Left(start + seconds(100), 0.01), milliseconds(0));
  EXPECT_EQ(pace.Left(start + seconds(110), 0.11), seconds(89));
  EXPECT_EQ(pace.Left(start + seconds(110), 1), milliseconds(0));
  EXPECT_EQ(pace.Left(start + seconds(110), 1.5), milliseconds(0));
}

}  // namespace
}  // namespace gpusim::server
