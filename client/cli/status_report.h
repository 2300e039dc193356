// The server about itself, as tables and as CSV.
#pragma once

#include <string>

#include "gpusim/v1/server.pb.h"

namespace gpusim::cli {

std::string StatusTable(const v1::GetInfoResponse& info,
                        const v1::GetStatisticsResponse& statistics, bool with_limits);

// A header and a row for each limit, or for each kind of work.
std::string LimitsCsv(const v1::GetInfoResponse& info);
std::string StatisticsCsv(const v1::GetStatisticsResponse& statistics);

}  // namespace gpusim::cli
