#include <chrono>

#include "client/messages.h"

namespace gpusim {

RandomStream FromMessage(const v1::RandomStream& message) {
  return {.seed = message.seed(),
          .subsequence = message.subsequence(),
          .offset = message.offset(),
          .stream_version = message.stream_version()};
}

void Fill(const RandomStream& stream, v1::RandomStream& message) {
  message.set_seed(stream.seed);
  message.set_subsequence(stream.subsequence);
  message.set_offset(stream.offset);
  message.set_stream_version(stream.stream_version);
}

Provenance FromMessage(const v1::Provenance& message) {
  Provenance provenance{.backend = static_cast<AnsweredBy>(message.backend()),
                        .device = message.device(),
                        .method = static_cast<AnswerMethod>(message.method()),
                        .stream = {},
                        .cached = message.cached()};
  if (message.has_stream()) provenance.stream = FromMessage(message.stream());
  return provenance;
}

ServerInfo FromMessage(const v1::GetInfoResponse& message) {
  ServerInfo info;
  info.version = message.version();
  info.backend = static_cast<AnsweredBy>(message.backend());
  for (const v1::Device& device : message.devices()) {
    info.devices.push_back(
        {device.index(), device.name(), device.slots(), device.memory_bytes(), device.threads()});
  }
  for (const v1::Limit& limit : message.limits()) {
    info.limits.push_back({limit.flag(), limit.value(), limit.used()});
  }
  info.uptime = std::chrono::milliseconds(message.uptime_ms());
  for (const v1::RaceTable& table : message.race_tables()) {
    info.race_tables.push_back({.edition = table.edition(),
                                .state = static_cast<RaceTableState>(table.state()),
                                .progress = table.progress(),
                                .remaining = std::chrono::milliseconds(table.remaining_ms()),
                                .bytes = table.bytes(),
                                .memory = static_cast<TableMemory>(table.memory()),
                                .file = table.file(),
                                .reason = table.reason()});
  }
  const v1::BoardsInfo& boards = message.boards();
  info.boards = {.on = boards.on(),
                 .owner = boards.owner(),
                 .address = boards.address(),
                 .boards = boards.boards(),
                 .running = boards.running(),
                 .memory_bytes = boards.memory_bytes(),
                 .max_memory_bytes = boards.max_memory_bytes(),
                 .state_bytes = boards.state_bytes(),
                 .max_state_bytes = boards.max_state_bytes(),
                 .next_lease_ends = std::chrono::milliseconds(boards.next_lease_ends_ms())};
  if (message.has_warm_stream()) info.warm_stream = FromMessage(message.warm_stream());
  return info;
}

ServerStatistics FromMessage(const v1::GetStatisticsResponse& message) {
  ServerStatistics statistics;
  for (const v1::KindStatistics& kind : message.kinds()) {
    statistics.kinds.push_back({.kind = kind.kind(),
                                .requests = kind.requests(),
                                .answered = kind.answered(),
                                .failed = kind.failed(),
                                .cancelled = kind.cancelled(),
                                .expired = kind.expired(),
                                .refused_queue_full = kind.refused_queue_full(),
                                .refused_draining = kind.refused_draining(),
                                .batches = kind.batches(),
                                .batched = kind.batched(),
                                .largest_batch = kind.largest_batch(),
                                .queue = std::chrono::nanoseconds(kind.queue_ns()),
                                .compute = std::chrono::nanoseconds(kind.compute_ns()),
                                .refused_work_full = kind.refused_work_full(),
                                .bulk_requests = kind.bulk_requests()});
  }
  const v1::CacheStatistics& cache = message.cache();
  statistics.cache = {.hits = cache.hits(),
                      .misses = cache.misses(),
                      .entries = cache.entries(),
                      .bytes = cache.bytes(),
                      .max_bytes = cache.max_bytes()};
  for (const v1::CallStatistics& calls : message.calls())
    statistics.calls.push_back(
        {.method = calls.method(), .code = calls.code(), .count = calls.count()});
  for (const v1::DeviceStatistics& device : message.devices())
    statistics.device_busy.emplace_back(device.busy_ns());
  statistics.calls_under_way = message.calls_under_way();
  statistics.open_streams = message.open_streams();
  statistics.conversions_waiting = message.conversions_waiting();
  statistics.conversions_refused = message.conversions_refused();
  return statistics;
}

}  // namespace gpusim
