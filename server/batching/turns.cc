#include "server/batching/turns.h"

namespace gpusim::batching {

std::int64_t KindTimes::Begin(KindIndex kind) {
  level_ns_ = Level(kind);
  used_ns_[kind] = level_ns_ + usual_ns_[kind];
  last_ = kind;
  return usual_ns_[kind];
}

void KindTimes::End(KindIndex kind, std::int64_t charged_ns, std::int64_t run_ns) {
  constexpr std::int64_t kWeight = 8;  // of the past
  used_ns_[kind] += run_ns - charged_ns;
  std::int64_t& usual_ns = usual_ns_[kind];
  usual_ns = usual_ns == 0 ? run_ns : usual_ns + (run_ns - usual_ns) / kWeight;
}

void BatchTurns::Begin(BatchTurn& turn) {
  turn.charged_ns = times_[static_cast<std::size_t>(turn.priority)].Begin(turn.kind);
  // Else every slot that becomes free meanwhile would think that bulk has earned its batch.
  if (turn.contended && turn.priority == Priority::kBulk) bulk_earned_ns_ -= turn.charged_ns;
}

void BatchTurns::End(const BatchTurn& turn, std::int64_t run_ns) {
  times_[static_cast<std::size_t>(turn.priority)].End(turn.kind, turn.charged_ns, run_ns);
  if (!turn.contended) return;
  bulk_earned_ns_ +=
      turn.priority == Priority::kBulk ? turn.charged_ns - run_ns : run_ns / kBulkShare;
}

}  // namespace gpusim::batching
