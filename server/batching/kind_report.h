// What a scheduler counts, by the names that statistics call kinds by.
#pragma once

#include <string>
#include <vector>

#include "server/batching/scheduler.h"

namespace gpusim::batching {

struct KindReport {
  std::string name;
  KindCounters counters;
};

// In the order of the kinds. Those of one name, which are the same work on several devices, make one report.
std::vector<KindReport> ReportKinds(const Scheduler& scheduler);

}  // namespace gpusim::batching
