#include "client/cli/life_board_report.h"

#include <cstdio>
#include <ctime>

#include "client/cli/life_facts.h"
#include "client/cli/live_view.h"

namespace gpusim::cli {
namespace {

using Align = TextTable::Align;

// "2026-01-31 12:00:00Z"
std::string TimeText(std::uint64_t unix_ms) {
  const auto seconds = static_cast<std::time_t>(unix_ms / 1000);
  std::tm utc{};
  char text[64] = "?";
  if (gmtime_r(&seconds, &utc) != nullptr)
    std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%SZ", &utc);
  return text;
}

std::string Clock(std::uint64_t ms) { return ClockText(static_cast<double>(ms) / 1000); }

std::string UntilText(const v1::Until& until) {
  switch (until.condition_case()) {
    case v1::Until::kExtinct:
      return "extinct";
    case v1::Until::kStill:
      return "still";
    case v1::Until::kPeriodAtMost:
      return "period<=" + std::to_string(until.period_at_most());
    case v1::Until::kPopulationAtMost:
      return "population<=" + std::to_string(until.population_at_most());
    case v1::Until::kPopulationAtLeast:
      return "population>=" + std::to_string(until.population_at_least());
    case v1::Until::CONDITION_NOT_SET:
      break;
  }
  return "";
}

std::string RunText(const v1::BoardRun& run) {
  std::string text = "to generation " + std::to_string(run.target_generation());
  if (run.has_until()) text += ", until " + UntilText(run.until());
  text += ", " + GenerationRate(run.generations_per_second());
  if (run.detached()) text += ", detached";
  return text;
}

std::string RunEndText(const v1::BoardRunEnd& end) {
  std::string text = "at generation " + std::to_string(end.generation()) + ": ";
  if (!end.error().empty()) return text + Printable(end.error());
  text += StopReasonText(end.stop_reason());
  if (end.period() > 0) text += ", period " + std::to_string(end.period());
  return text;
}

std::string LeaseText(const v1::Board& board) {
  if (board.lease_s() == 0) return "none";
  return Clock(std::uint64_t{board.lease_s()} * 1000) + ", " + Clock(board.lease_left_ms()) +
         " left";
}

std::string SizeText(std::uint32_t width, std::uint32_t height) {
  return std::to_string(width) + " x " + std::to_string(height);
}

std::string CauseText(v1::SnapshotCause cause) {
  return cause == v1::SNAPSHOT_CAUSE_LEASE_EXPIRED ? "lease expired" : "asked";
}

}  // namespace

std::string BytesText(std::uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return std::to_string(bytes) + " B";
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (value /= 1024; value >= 1024 && unit < 3; value /= 1024) ++unit;
  return Decimals(value, 1) + " " + kUnits[unit];
}

std::string BoardTable(const v1::Board& board) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.AddRow({{"board"}, {Printable(board.name())}});
  if (!board.owner_address().empty()) table.AddRow({{"owner"}, {Printable(board.owner_address())}});
  table.AddRow({{"generation"}, {std::to_string(board.generation())}});
  table.AddRow({{"rule"}, {Printable(board.rule())}});
  table.AddRow({{"topology"}, {Printable(board.topology())}});
  if (board.has_run()) table.AddRow({{"runs"}, {RunText(board.run())}});
  if (board.has_last_run()) table.AddRow({{"last run"}, {RunEndText(board.last_run())}});
  table.AddRow({{"lease"}, {LeaseText(board)}});
  table.AddRow({{"autosave"},
                {board.autosave_every_s() == 0
                     ? "none"
                     : "every " + Clock(std::uint64_t{board.autosave_every_s()} * 1000)}});
  table.AddRow({{"memory"},
                {BytesText(board.memory_bytes()) + ", device " + std::to_string(board.device())}});
  table.AddRow({{"created"}, {TimeText(board.created_unix_ms())}});
  return table.Render(false);
}

std::string BoardsTable(const std::vector<v1::Board>& boards) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kLeft, Align::kRight, Align::kRight,
                   Align::kRight, Align::kLeft});
  table.AddRow(
      {{"board"}, {"topology"}, {"rule"}, {"generation"}, {"memory"}, {"lease left"}, {"run"}});
  for (const v1::Board& board : boards) {
    table.AddRow({{Printable(board.name())},
                  {Printable(board.topology())},
                  {Printable(board.rule())},
                  {std::to_string(board.generation())},
                  {BytesText(board.memory_bytes())},
                  {board.lease_s() == 0 ? "none" : Clock(board.lease_left_ms())},
                  {board.has_run() ? RunText(board.run()) : "-"}});
  }
  return table.Render(false);
}

std::string BoardsCsv(const std::vector<v1::Board>& boards) {
  std::string csv =
      CsvLine({"board", "owner_address", "topology", "rule", "width", "height", "generation",
               "running", "target_generation", "memory_bytes", "device", "lease_s", "lease_left_ms",
               "autosave_every_s", "saved_generation", "created_unix_ms"});
  for (const v1::Board& board : boards) {
    csv +=
        CsvLine({board.name(), board.owner_address(), board.topology(), board.rule(),
                 std::to_string(board.width()), std::to_string(board.height()),
                 std::to_string(board.generation()), board.has_run() ? "1" : "0",
                 board.has_run() ? std::to_string(board.run().target_generation()) : "",
                 std::to_string(board.memory_bytes()), std::to_string(board.device()),
                 std::to_string(board.lease_s()), std::to_string(board.lease_left_ms()),
                 std::to_string(board.autosave_every_s()), std::to_string(board.saved_generation()),
                 std::to_string(board.created_unix_ms())});
  }
  return csv;
}

std::string SnapshotTable(const v1::Snapshot& snapshot) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.AddRow({{"snapshot"}, {Printable(snapshot.name())}});
  table.AddRow({{"of board"}, {Printable(snapshot.board())}});
  table.AddRow({{"generation"}, {std::to_string(snapshot.generation())}});
  table.AddRow({{"rule"}, {Printable(snapshot.rule())}});
  table.AddRow({{"topology"}, {Printable(snapshot.topology())}});
  table.AddRow({{"file"}, {BytesText(snapshot.bytes())}});
  table.AddRow(
      {{"made"}, {TimeText(snapshot.created_unix_ms()) + ", " + CauseText(snapshot.cause())}});
  return table.Render(false);
}

std::string SnapshotsTable(const std::vector<v1::Snapshot>& snapshots) {
  TextTable table({Align::kLeft, Align::kLeft, Align::kRight, Align::kRight, Align::kRight,
                   Align::kLeft, Align::kLeft});
  table.AddRow(
      {{"snapshot"}, {"of board"}, {"size"}, {"generation"}, {"file"}, {"made"}, {"because"}});
  for (const v1::Snapshot& snapshot : snapshots) {
    table.AddRow({{Printable(snapshot.name())},
                  {Printable(snapshot.board())},
                  {SizeText(snapshot.width(), snapshot.height())},
                  {std::to_string(snapshot.generation())},
                  {BytesText(snapshot.bytes())},
                  {TimeText(snapshot.created_unix_ms())},
                  {CauseText(snapshot.cause())}});
  }
  return table.Render(false);
}

std::string SnapshotsCsv(const std::vector<v1::Snapshot>& snapshots) {
  std::string csv = CsvLine({"snapshot", "board", "generation", "rule", "topology", "width",
                             "height", "bytes", "created_unix_ms", "cause"});
  for (const v1::Snapshot& snapshot : snapshots) {
    csv += CsvLine({snapshot.name(), snapshot.board(), std::to_string(snapshot.generation()),
                    snapshot.rule(), snapshot.topology(), std::to_string(snapshot.width()),
                    std::to_string(snapshot.height()), std::to_string(snapshot.bytes()),
                    std::to_string(snapshot.created_unix_ms()), CauseText(snapshot.cause())});
  }
  return csv;
}

}  // namespace gpusim::cli
