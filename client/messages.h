// Between the typed requests and results and their messages. The enumerations have the messages'
// numbers, so that a value which a newer server sends comes through.
#pragma once

#include <vector>

#include <gpusim/camel_up.h>
#include <gpusim/camel_up_columns.h>
#include <gpusim/camel_up_moves.h>
#include <gpusim/odds_stream.h>
#include <gpusim/server_info.h>
#include <gpusim/simulate.h>

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/server.pb.h"

namespace gpusim {

v1::GetOddsRequest ToMessage(const OddsRequest& request);
v1::GetOddsColumnsRequest ToMessage(const OddsColumnsRequest& request);
v1::SimulateRequest ToMessage(const SimulateRequest& request);
v1::EvaluateMovesRequest ToMessage(const MovesRequest& request);
v1::EvaluateMovesManyRequest ToMessage(const std::vector<MovesRequest>& questions);

// Columns whose lengths do not fit their rows, one violation each.
std::vector<FieldViolation> LengthFaults(const OddsColumnsRequest& request);

Odds FromMessage(const v1::GetOddsResponse& message);
// Fails where a column has not the length that its rows need.
Result<OddsColumns> FromMessage(const v1::GetOddsColumnsResponse& message);
SimulateUpdate FromMessage(const v1::SimulateResponse& message);
Moves FromMessage(const v1::EvaluateMovesResponse& message);
std::vector<Result<Moves>> FromMessage(const v1::EvaluateMovesManyResponse& message);
StreamAnswer FromMessage(const v1::StreamItem& message);
ServerInfo FromMessage(const v1::GetInfoResponse& message);
ServerStatistics FromMessage(const v1::GetStatisticsResponse& message);

// Parts that several of them have.
Provenance FromMessage(const v1::Provenance& message);
RandomStream FromMessage(const v1::RandomStream& message);
void Fill(const AnyPosition& position, v1::Position& message);
void Fill(const RandomStream& stream, v1::RandomStream& message);
template <class Message>
void FillOutputs(const std::vector<OddsOutput>& outputs, Message& message) {
  for (const OddsOutput output : outputs) message.add_outputs(static_cast<v1::Output>(output));
}

}  // namespace gpusim
