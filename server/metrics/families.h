// Metrics as Prometheus has them; README.md lists them.
#pragma once

#include <vector>

#include <prometheus/metric_family.h>

#include "server/metrics/snapshot.h"

namespace gpusim::metrics {

// One family a metric, in the order of README.md. The same names and labels at every moment of a server.
std::vector<prometheus::MetricFamily> FamiliesOf(const Snapshot& snapshot);

}  // namespace gpusim::metrics
