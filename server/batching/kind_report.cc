#include "server/batching/kind_report.h"

#include <algorithm>

namespace gpusim::batching {

std::vector<KindReport> ReportKinds(const Scheduler& scheduler) {
  std::vector<KindReport> reports;
  for (KindIndex kind = 0; kind < scheduler.kinds(); ++kind) {
    const std::string& name = scheduler.options(kind).name;
    auto report = std::find_if(reports.begin(), reports.end(),
                               [&](const KindReport& other) { return other.name == name; });
    if (report == reports.end()) report = reports.insert(report, {.name = name, .counters = {}});
    report->counters.Add(scheduler.counters(kind));
  }
  return reports;
}

}  // namespace gpusim::batching
