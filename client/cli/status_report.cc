#include "client/cli/status_report.h"

#include <cstdint>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <gpusim/result.h>

#include "client/cli/life_board_report.h"
#include "client/cli/live_view.h"
#include "client/cli/provenance_text.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

using Align = TextTable::Align;
using Cell = TextTable::Cell;

std::string Decimal(double value, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f%s", value, unit);
  return text;
}

std::string Ratio(std::uint64_t sum, std::uint64_t count, double scale, const char* unit) {
  if (count == 0) return "-";
  return Decimal(static_cast<double>(sum) / static_cast<double>(count) / scale, unit);
}

std::string Uptime(std::uint64_t milliseconds) {
  const std::uint64_t seconds = milliseconds / 1000;
  const std::uint64_t hours = seconds / 3600;
  char text[64];
  std::snprintf(text, sizeof text, "%llu d %02llu:%02llu:%02llu",
                static_cast<unsigned long long>(hours / 24),
                static_cast<unsigned long long>(hours % 24),
                static_cast<unsigned long long>(seconds / 60 % 60),
                static_cast<unsigned long long>(seconds % 60));
  return text;
}

// The name tells a CPU's threads.
std::string DeviceText(const v1::Device& device) {
  std::string text = Printable(device.name()) + ", " + std::to_string(device.slots()) + " slots";
  if (device.memory_bytes() > 0) {
    constexpr double kGibibyte = 1 << 30;
    text += Decimal(static_cast<double>(device.memory_bytes()) / kGibibyte, " GiB").insert(0, ", ");
  }
  return text;
}

// Everything that is known of a race table, in one line.
std::string RaceTableText(const v1::RaceTable& table) {
  constexpr double kMebibyte = 1 << 20;
  std::string text;
  switch (table.state()) {
    case v1::RACE_TABLE_STATE_READY:
      text = "ready, " + Decimal(static_cast<double>(table.bytes()) / kMebibyte, " MiB");
      break;
    case v1::RACE_TABLE_STATE_SOLVING:
      text = "solving, " + Percent(table.progress());
      if (table.remaining_ms() > 0) {
        text += ", " + ClockText(static_cast<double>(table.remaining_ms()) / 1000) + " left";
      }
      break;
    case v1::RACE_TABLE_STATE_OFF:
      text = "off";
      break;
    default:
      text = "unknown";
  }
  if (table.memory() == v1::TABLE_MEMORY_HOST) text += ", in host memory";
  if (table.memory() == v1::TABLE_MEMORY_DEVICE) text += ", in device memory";
  if (!table.file().empty()) text += ", " + Printable(table.file());
  if (!table.reason().empty()) text += ": " + Printable(table.reason());
  return text;
}

std::string CacheText(const v1::CacheStatistics& cache) {
  if (cache.max_bytes() == 0) return "off";
  constexpr double kMebibyte = 1 << 20;
  const std::uint64_t asked = cache.hits() + cache.misses();
  return (asked == 0 ? "nothing asked"
                     : Percent(cache.hits(), asked) + " of " + std::to_string(asked) + " hit") +
         ", " + std::to_string(cache.entries()) + " entries, " +
         Decimal(static_cast<double>(cache.bytes()) / kMebibyte, "") + " of " +
         Decimal(static_cast<double>(cache.max_bytes()) / kMebibyte, " MiB");
}

std::string BoardsText(const v1::BoardsInfo& boards) {
  if (!boards.on()) return "off";
  std::string text = std::to_string(boards.boards()) + ", " + std::to_string(boards.running()) +
                     " running, " + BytesText(boards.memory_bytes()) + " of " +
                     BytesText(boards.max_memory_bytes()) + ", files " +
                     BytesText(boards.state_bytes()) + " of " + BytesText(boards.max_state_bytes());
  if (boards.next_lease_ends_ms() > 0) {
    text += ", next lease ends in " +
            ClockText(static_cast<double>(boards.next_lease_ends_ms()) / 1000);
  }
  return text;
}

// "me at host:port"
std::string OwnerText(const v1::BoardsInfo& boards) {
  std::string text = Printable(boards.owner());
  if (!boards.address().empty()) text += " at " + Printable(boards.address());
  return text;
}

std::string Facts(const v1::GetInfoResponse& info, const v1::GetStatisticsResponse& statistics) {
  TextTable table({Align::kLeft, Align::kLeft});
  table.AddRow({{"version"}, {Printable(info.version())}});
  table.AddRow({{"backend"}, {BackendText(info.backend())}});
  table.AddRow({{"uptime"}, {Uptime(info.uptime_ms())}});
  for (const v1::Device& device : info.devices()) {
    table.AddRow({{"device " + std::to_string(device.index())}, {DeviceText(device)}});
  }
  for (const v1::RaceTable& race : info.race_tables()) {
    table.AddRow({{"race table " + std::to_string(race.edition())}, {RaceTableText(race)}});
  }
  if (info.has_warm_stream()) table.AddRow({{"warm stream"}, {StreamText(info.warm_stream())}});
  if (statistics.has_cache()) table.AddRow({{"cache"}, {CacheText(statistics.cache())}});
  if (info.has_boards()) {
    if (!info.boards().owner().empty()) table.AddRow({{"owner"}, {OwnerText(info.boards())}});
    table.AddRow({{"boards"}, {BoardsText(info.boards())}});
  }
  return table.Render(false);
}

std::vector<std::pair<const char*, std::string>> Figures(const v1::KindStatistics& kind) {
  constexpr double kMicrosecond = 1000;
  return {{"requests", std::to_string(kind.requests())},
          {"of them bulk", std::to_string(kind.bulk_requests())},
          {"answered", std::to_string(kind.answered())},
          {"failed", std::to_string(kind.failed())},
          {"cancelled", std::to_string(kind.cancelled())},
          {"expired", std::to_string(kind.expired())},
          {"refused, queue full", std::to_string(kind.refused_queue_full())},
          {"refused, work full", std::to_string(kind.refused_work_full())},
          {"refused, draining", std::to_string(kind.refused_draining())},
          {"batches", std::to_string(kind.batches())},
          {"mean batch", Ratio(kind.batched(), kind.batches(), 1, "")},
          {"largest batch", std::to_string(kind.largest_batch())},
          {"mean queue time", Ratio(kind.queue_ns(), kind.requests(), kMicrosecond, " us")},
          {"mean compute time", Ratio(kind.compute_ns(), kind.batches(), kMicrosecond, " us")}};
}

// A column for each kind, for there are more figures than kinds.
std::string Statistics(const v1::GetStatisticsResponse& statistics) {
  std::vector<std::vector<Cell>> rows = {{{""}}};
  for (const auto& [name, value] : Figures({})) rows.push_back({{name}});
  for (const v1::KindStatistics& kind : statistics.kinds()) {
    rows[0].push_back({Printable(kind.kind())});
    std::size_t row = 1;
    for (const auto& [name, value] : Figures(kind)) rows[row++].push_back({value});
  }
  std::vector<Align> columns(rows[0].size(), Align::kRight);
  columns[0] = Align::kLeft;
  TextTable table(std::move(columns));
  for (auto& row : rows) table.AddRow(std::move(row));
  return table.Render(false);
}

std::string CodeName(std::uint32_t code) {
  return code == 0 ? "OK" : std::string(StatusName(static_cast<StatusCode>(code)));
}

// A row for each method, a column for each status that occurred.
std::string Calls(const v1::GetStatisticsResponse& statistics) {
  std::map<std::string, std::map<std::uint32_t, std::uint64_t>> counts;
  std::set<std::uint32_t> codes;
  for (const v1::CallStatistics& calls : statistics.calls()) {
    counts[calls.method()][calls.code()] = calls.count();
    codes.insert(calls.code());
  }
  std::vector<Align> columns(codes.size() + 1, Align::kRight);
  columns[0] = Align::kLeft;
  TextTable table(std::move(columns));
  std::vector<Cell> head{{"calls"}};
  for (const std::uint32_t code : codes) head.push_back({CodeName(code)});
  table.AddRow(std::move(head));
  for (auto& [method, by_code] : counts) {
    std::vector<Cell> row{{Printable(method)}};
    for (const std::uint32_t code : codes) row.push_back({std::to_string(by_code[code])});
    table.AddRow(std::move(row));
  }
  return table.Render(false);
}

std::string Limits(const v1::GetInfoResponse& info) {
  TextTable table({Align::kLeft, Align::kRight, Align::kRight});
  table.AddRow({{"limit"}, {"value"}, {"used"}});
  for (const v1::Limit& limit : info.limits()) {
    table.AddRow({{Printable(limit.flag())},
                  {std::to_string(limit.value())},
                  {std::to_string(limit.used())}});
  }
  return table.Render(false);
}

}  // namespace

std::string StatusTable(const v1::GetInfoResponse& info,
                        const v1::GetStatisticsResponse& statistics, bool with_limits) {
  std::string text = Facts(info, statistics);
  if (statistics.kinds_size() > 0) text += '\n' + Statistics(statistics);
  if (statistics.calls_size() > 0) text += '\n' + Calls(statistics);
  if (with_limits) text += '\n' + Limits(info);
  return text;
}

std::string LimitsCsv(const v1::GetInfoResponse& info) {
  std::string csv = CsvLine({"flag", "value", "used"});
  for (const v1::Limit& limit : info.limits()) {
    csv += CsvLine({limit.flag(), std::to_string(limit.value()), std::to_string(limit.used())});
  }
  return csv;
}

std::string StatisticsCsv(const v1::GetStatisticsResponse& statistics) {
  std::string csv =
      CsvLine({"kind", "requests", "answered", "failed", "cancelled", "expired",
               "refused_queue_full", "refused_draining", "batches", "batched", "largest_batch",
               "queue_ns", "compute_ns", "refused_work_full", "bulk_requests"});
  for (const v1::KindStatistics& kind : statistics.kinds()) {
    csv +=
        CsvLine({kind.kind(), std::to_string(kind.requests()), std::to_string(kind.answered()),
                 std::to_string(kind.failed()), std::to_string(kind.cancelled()),
                 std::to_string(kind.expired()), std::to_string(kind.refused_queue_full()),
                 std::to_string(kind.refused_draining()), std::to_string(kind.batches()),
                 std::to_string(kind.batched()), std::to_string(kind.largest_batch()),
                 std::to_string(kind.queue_ns()), std::to_string(kind.compute_ns()),
                 std::to_string(kind.refused_work_full()), std::to_string(kind.bulk_requests())});
  }
  return csv;
}

}  // namespace gpusim::cli
