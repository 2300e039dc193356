// Between the typed requests and results and their messages. The enumerations have the messages'
// numbers, so that a value which a newer server sends comes through.
#pragma once

#include <gpusim/camel_up.h>
#include <gpusim/life.h>
#include <gpusim/server_info.h>

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/life.pb.h"
#include "gpusim/v1/server.pb.h"

namespace gpusim {

v1::GetOddsRequest ToMessage(const OddsRequest& request);
v1::StepRequest ToMessage(const StepRequest& request);

Odds FromMessage(const v1::GetOddsResponse& message);
StepResult FromMessage(v1::StepResponse message);  // by value: boards are moved, not copied
ServerInfo FromMessage(const v1::GetInfoResponse& message);
ServerStatistics FromMessage(const v1::GetStatisticsResponse& message);

}  // namespace gpusim
