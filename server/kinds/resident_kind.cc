#include "server/kinds/resident_kind.h"

#include "server/kinds/life_run.h"

namespace gpusim::kinds {

ResidentChunk ResidentChunkFor(const Backend& backend) {
  constexpr std::uint32_t kFactRows = 1024;
  return {.word_steps = backend.life_chunk_word_steps(),
          .generations = backend.life_chunk_generations(),
          .fact_rows = kFactRows,
          .fill_words = backend.life_chunk_fill_words()};
}

std::uint64_t FactWork(life::FactSet facts) {
  return ((facts & life::kCountChanges) != 0 ? kChangesSteps : 0) +
         ((facts & life::kFindBox) != 0 ? kBoxSteps : 0) +
         ((facts & life::kMakeDigest) != 0 ? kDigestSteps : 0) +
         ((facts & life::kMakeShapeDigest) != 0 ? kShapeDigestSteps : 0);
}

void ResidentRunner::Run(std::span<batching::Task* const> batch,
                         std::span<batching::Chunk> chunks) {
  life::ResidentBatch& columns = slot_.resident();
  columns.Clear();
  for (batching::Task* task : batch) static_cast<ResidentTask*>(task)->Begin(columns);
  const DeviceResult<void> ran = columns.steps.empty() ? DeviceResult<void>{} : slot_.RunResident();
  for (batching::Task* task : batch) static_cast<ResidentTask*>(task)->Work();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    chunks[i] = static_cast<ResidentTask*>(batch[i])->End(columns, ran);
  }
}

}  // namespace gpusim::kinds
