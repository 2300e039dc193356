#include "server/kinds/life_run.h"

#include <algorithm>

namespace gpusim::kinds {
namespace {

std::uint64_t FactSteps(life::FactSet facts) {
  return ((facts & life::kCountChanges) != 0 ? kChangesSteps : 0) +
         ((facts & life::kFindBox) != 0 ? kBoxSteps : 0) +
         ((facts & life::kMakeDigest) != 0 ? kDigestSteps : 0) +
         ((facts & life::kMakeShapeDigest) != 0 ? kShapeDigestSteps : 0);
}

LifeFacts ReadFacts(const life::Facts& facts, std::size_t row, std::uint64_t generation) {
  LifeFacts read{.generation = generation,
                 .population = facts.At<life::kPopulation>(row),
                 .births = facts.At<life::kChanges>(row, 0),
                 .deaths = facts.At<life::kChanges>(row, 1),
                 .digest = facts.At<life::kDigest>(row),
                 .shape_digest = facts.At<life::kShapeDigest>(row)};
  for (std::size_t k = 0; k < 4; ++k) read.box[k] = facts.At<life::kBox>(row, k);
  return read;
}

// No period is longer than the run, and digests beyond it need no room.
Until Within(Until until, std::uint64_t generations) {
  if (until.kind == Until::Kind::kPeriodAtMost)
    until.bound = std::clamp<std::uint64_t>(generations, 1, until.bound);
  return until;
}

}  // namespace

LifeProgress::LifeProgress(LifeRun run)
    : run_(std::move(run)),
      phase_(run_.until.kind == Until::Kind::kNever ? Phase::kRun : Phase::kStart) {
  run_.until = Within(run_.until, run_.generations);
  answer_.board.width = run_.board.width;
  answer_.board.height = run_.board.height;
}

std::uint64_t LifeProgress::bytes() const {
  const std::uint64_t rows = run_.facts_every == 0 ? 0 : run_.generations / run_.facts_every;
  return sizeof(LifeProgress) + words() * sizeof(std::uint64_t) + rows * sizeof(LifeFacts);
}

std::uint64_t LifeProgress::bytes_under_way() const {
  return WatchBytes(run_.until) + (seeks_period() ? words() * sizeof(std::uint64_t) : 0);
}

std::uint64_t LifeProgress::Chunk::steps(std::uint64_t fill_steps) const {
  const std::uint64_t stepped = generations + fact_rows() * FactSteps(facts);
  return std::max<std::uint64_t>(1, stepped) + (random ? fill_steps : 0);
}

// A condition looks at each generation; dear facts of the last one alone come by running its chunk again.
life::FactSet LifeProgress::FactsOfRun(bool last) const {
  if (run_.facts_every != 0) return FactsFor(run_.until) | run_.facts;
  if (run_.until.kind != Until::Kind::kNever) return FactsFor(run_.until);
  return last ? run_.facts : life::FactSet{0};
}

// A chunk with room for whole steps of the series has a row for each; else it ends at the next multiple, or before.
std::uint64_t LifeProgress::CutAtSeries(std::uint64_t generations, std::uint64_t fact_rows,
                                        Chunk& chunk) const {
  const std::uint64_t every = run_.facts_every;
  const std::uint64_t left = run_.generations - done_;
  const std::uint64_t most = std::min(generations, left);
  const std::uint64_t ahead = every - done_ % every;
  if (ahead < every || most < every) return std::min(generations, ahead);
  chunk.facts_every = static_cast<std::uint32_t>(every);
  const bool to_the_end = most == left && (left - 1) / every < fact_rows;
  return to_the_end ? left : std::min(most / every, fact_rows) * every;
}

LifeProgress::Chunk LifeProgress::Next(std::uint64_t generations, std::uint64_t fact_rows) const {
  Chunk chunk;
  chunk.random = done_ == 0 && run_.source == life::Source::kRandom && phase_ != Phase::kConfirm;
  const auto take = [&](std::uint64_t left) {
    chunk.generations =
        static_cast<std::uint32_t>(std::min({left, generations, std::uint64_t{0xffff'ffff}}));
    chunk.can_grow = left > chunk.generations;
    return !chunk.can_grow;
  };
  switch (phase_) {
    case Phase::kStart:
      chunk.facts = FactsFor(run_.until) | run_.facts;
      return chunk;
    case Phase::kRewind:
      if (take(stop_at_ - done_)) chunk.facts = run_.facts;
      break;
    case Phase::kConfirm:
      take(confirm_left_);
      break;
    case Phase::kRun:
      if (run_.until.kind != Until::Kind::kNever) {
        generations = std::min(generations, fact_rows);
        chunk.facts_every = 1;
      } else if (run_.facts_every != 0) {
        generations = CutAtSeries(generations, fact_rows, chunk);
      }
      chunk.facts = FactsOfRun(take(run_.generations - done_));
      break;
  }
  return chunk;
}

void LifeProgress::Append(const Chunk& chunk, life::StepBatch& batch) {
  chunk_ = chunk;
  const std::size_t first_word = batch.cells.size();
  batch.cells.Resize(first_word + words());
  if (!chunk.random)
    std::copy(run_.board.words.begin(), run_.board.words.end(),
              batch.cells.Column<0>() + first_word);
  first_facts_ = batch.facts.size();
  batch.facts.Resize(first_facts_ + chunk.fact_rows());
  row_ = batch.boards.Append();
  const life::Boards& boards = batch.boards;
  boards.At<life::kFirstWord>(row_) = first_word;
  boards.At<life::kWidth>(row_) = run_.board.width;
  boards.At<life::kHeight>(row_) = run_.board.height;
  boards.At<life::kRuleMasks>(row_) = life::RuleMasks(run_.rule);
  boards.At<life::kTopology>(row_) = run_.topology;
  boards.At<life::kGenerations>(row_) = chunk.generations;
  boards.At<life::kFactsEvery>(row_) = chunk.facts_every;
  boards.At<life::kFirstFacts>(row_) = first_facts_;
  boards.At<life::kFactSet>(row_) = chunk.facts;
  boards.At<life::kSource>(row_) = chunk.random ? life::Source::kRandom : life::Source::kCells;
  boards.At<life::kSeed>(row_) = run_.seed;
  boards.At<life::kThreshold>(row_) = run_.threshold;
}

bool LifeProgress::Take(const life::StepBatch& batch) {
  next_ = batch.next.Column<0>() + batch.boards.At<life::kFirstWord>(row_);
  switch (phase_) {
    case Phase::kStart:
      return TakeStart(batch.facts);
    case Phase::kRun:
      return watch_ ? TakeWatchedRun(batch.facts) : TakeRun(batch.facts);
    case Phase::kRewind:
      return TakeRewound(batch.facts);
    case Phase::kConfirm:
      break;
  }
  return TakeConfirmed();
}

bool LifeProgress::TakeStart(const life::Facts& facts) {
  watch_ = std::make_unique<UntilWatch>(run_.until);
  answer_.met = watch_->Look(facts, first_facts_).has_value();
  phase_ = Phase::kRun;
  if (!answer_.met && run_.generations > 0) return false;
  answer_.last = ReadFacts(facts, first_facts_, 0);
  if (chunk_.random && run_.wants_cells) KeepNext();
  return Done();
}

bool LifeProgress::TakeRun(const life::Facts& facts) {
  for (std::uint32_t row = 0; row < chunk_.fact_rows() && run_.facts_every != 0; ++row) {
    const std::uint64_t generation =
        done_ + (chunk_.facts_every == 0
                     ? chunk_.generations
                     : std::min((row + 1) * chunk_.facts_every, chunk_.generations));
    if (generation != 0 && generation % run_.facts_every == 0)
      answer_.series.push_back(ReadFacts(facts, first_facts_ + row, generation));
  }
  done_ += chunk_.generations;
  const bool done = done_ == run_.generations;
  if (!done || run_.wants_cells) KeepNext();
  if (!done) return false;
  answer_.last = ReadFacts(facts, first_facts_ + chunk_.fact_rows() - 1, done_);
  return Done();
}

bool LifeProgress::TakeWatchedRun(const life::Facts& facts) {
  for (std::uint32_t row = 0; row < chunk_.generations; ++row) {
    const std::uint64_t generation = done_ + row + 1;
    const auto met = watch_->Look(facts, first_facts_ + row);
    if (run_.facts_every != 0 && generation % run_.facts_every == 0)
      answer_.series.push_back(ReadFacts(facts, first_facts_ + row, generation));
    if (!met && generation != run_.generations) continue;
    answer_.met = met.has_value();
    answer_.period = met ? met->period : 0;
    return ReachMiddle(facts, first_facts_ + row, generation);
  }
  done_ += chunk_.generations;
  KeepNext();
  return false;
}

// The run ends at this generation of the chunk, if its period is true.
bool LifeProgress::ReachMiddle(const life::Facts& facts, std::size_t row,
                               std::uint64_t generation) {
  stop_at_ = generation;
  const bool needs_cells = run_.wants_cells || answer_.period != 0;
  const bool at_end = generation == done_ + chunk_.generations;
  const bool has_facts = (run_.facts & ~chunk_.facts) == 0;
  if (!has_facts || (needs_cells && !at_end)) {
    phase_ = Phase::kRewind;
    return false;
  }
  if (needs_cells) KeepNext();
  done_ = generation;
  answer_.last = ReadFacts(facts, row, generation);
  return Reached();
}

bool LifeProgress::TakeRewound(const life::Facts& facts) {
  done_ += chunk_.generations;
  const bool there = done_ == stop_at_;
  if (!there || run_.wants_cells || answer_.period != 0) KeepNext();
  if (!there) return false;
  answer_.last = ReadFacts(facts, first_facts_, done_);
  return Reached();
}

bool LifeProgress::Reached() {
  if (answer_.period == 0) return Done();
  kept_ = run_.board.words;
  confirm_left_ = answer_.period;
  phase_ = Phase::kConfirm;
  return false;
}

bool LifeProgress::TakeConfirmed() {
  confirm_left_ -= chunk_.generations;
  KeepNext();
  if (confirm_left_ > 0) return false;
  const bool true_period = run_.board.words == kept_;
  run_.board.words = std::move(kept_);
  if (true_period) return Done();
  answer_.met = false;
  answer_.period = 0;
  phase_ = Phase::kRun;
  return done_ == run_.generations && Done();
}

bool LifeProgress::Done() {
  watch_.reset();
  if (run_.wants_cells) {
    answer_.board.words = std::move(run_.board.words);
  } else {
    run_.board.words = {};
  }
  kept_ = {};
  return true;
}

void LifeProgress::KeepNext() { run_.board.words.assign(next_, next_ + words()); }

}  // namespace gpusim::kinds
