// Odds as a GetOddsResponse: integers as they are, and doubles that are rounded once.
//
// All functions are pure and thread-safe.
#pragma once

#include "gpusim/v1/camel_up.pb.h"
#include "gpusim/v1/provenance.pb.h"
#include "kernels/odds.h"
#include "server/services/camel_up_convert.h"

namespace gpusim::server {

// Everything but the provenance. The response is empty before.
void FillOddsResponse(const OddsQuestion& question, const camel_up::Odds& odds,
                      v1::GetOddsResponse& response);

// Of an answer to the question; `server` is that of the server's exact answers. The stream of a simulation has
// been taken.
void FillProvenance(const OddsQuestion& question, const v1::Provenance& server,
                    v1::Provenance& provenance);

}  // namespace gpusim::server
