// What the handlers share.
#pragma once

#include <chrono>
#include <cstdint>

#include "gpusim/v1/provenance.pb.h"
#include "server/batching/scheduler.h"
#include "server/boards/board_store.h"
#include "server/cache/odds_cache.h"
#include "server/calls/call_book.h"
#include "server/kinds/camel_up_kind.h"
#include "server/kinds/life_kind.h"
#include "server/kinds/warm_stream.h"
#include "server/race/race_tables.h"
#include "server/services/advertised_address.h"
#include "server/services/conversion_pool.h"
#include "server/services/open_streams.h"
#include "server/services/request_memory.h"

namespace gpusim::server {

// Owned by the server, which outlives every call. The references are thread-safe, the rest does not
// change.
struct ServingContext {
  batching::Scheduler& scheduler;
  ConversionPool& conversions;
  CallBook& calls;
  OpenStreams& open_streams;
  const RaceTables& race_tables;
  kinds::WarmStreams& warm_streams;
  OddsCache& odds_cache;
  boards::BoardStore& boards;
  RequestMemory& request_memory;
  const AdvertisedAddress& advertised_address;

  std::chrono::milliseconds default_deadline{};  // of calls that bring none
  std::uint64_t max_queued_bytes = 0;  // of boards, and of requests before they are boards
  std::uint64_t max_step_cells = 0;    // with rows padded to whole words
  std::uint64_t max_call_cells = 0;    // of all boards of StepMany, likewise
  std::uint64_t max_reply_bytes = 0;
  std::uint64_t max_columns_reply_bytes = 0;
  std::uint64_t max_call_simulations = 0;
  std::uint64_t max_stream_items = 0;
  kinds::LifeChunk life_chunk;
  kinds::CamelUpChunk camel_up_chunk;

  v1::Provenance provenance;
};

}  // namespace gpusim::server
