#include "server/kinds/resident_kind.h"

namespace gpusim::kinds {

ResidentChunk ResidentChunkFor(const Backend& backend) {
  constexpr std::uint32_t kFactRows = 1024;
  return {.word_steps = backend.life_chunk_word_steps(),
          .generations = backend.life_chunk_generations(),
          .fact_rows = kFactRows,
          .fill_words = backend.life_chunk_fill_words()};
}

std::uint64_t FactWork(life::FactSet facts) {
  constexpr std::uint64_t kDigestSteps = 8;
  constexpr std::uint64_t kShapeDigestSteps = 64;
  std::uint64_t work = 1;  // the population
  if ((facts & life::kCountChanges) != 0) work += 1;
  if ((facts & life::kFindBox) != 0) work += 1;
  if ((facts & life::kMakeDigest) != 0) work += kDigestSteps;
  if ((facts & life::kMakeShapeDigest) != 0) work += kShapeDigestSteps;
  return work;
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
