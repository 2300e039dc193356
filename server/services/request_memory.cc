#include "server/services/request_memory.h"

#include <cassert>
#include <utility>

namespace gpusim::server {

using batching::MutexLock;

std::string RequestMemory::TextOf(const Key& key) {
  // No call and no caller has a blank in its name.
  return std::string(key.call) + " " + std::string(key.caller) + " " + std::string(key.id);
}

std::size_t RequestMemory::BytesOf(const std::string& text, const Entry& entry) {
  return sizeof(Entry) + 2 * text.size() + entry.answer.size();
}

RequestMemory::Earlier RequestMemory::Begin(const Key& key, std::uint64_t fingerprint,
                                            std::function<void()> again) {
  const MutexLock lock(mutex_);
  ForgetOld();
  const auto [place, fresh] = entries_.try_emplace(TextOf(key));
  Entry& entry = place->second;
  if (fresh) {
    entry.fingerprint = fingerprint;
    return {Seen::kFirst, {}, 0};
  }
  if (entry.fingerprint != fingerprint) return {Seen::kOther, {}, 0};
  if (entry.answered) return {Seen::kAnswered, entry.answer, entry.rows};
  entry.waiting.push_back(std::move(again));
  return {Seen::kUnderWay, {}, 0};
}

void RequestMemory::End(const Key& key, std::optional<std::string> answer, std::uint64_t rows) {
  std::vector<std::function<void()>> waiting;
  {
    const MutexLock lock(mutex_);
    const auto place = entries_.find(TextOf(key));
    assert(place != entries_.end());
    Entry& entry = place->second;
    waiting.swap(entry.waiting);
    if (!answer) {
      entries_.erase(place);
    } else {
      entry.answered = true;
      entry.answer = *std::move(answer);
      entry.rows = rows;
      entry.forgotten_at = clock_.Now() + kKept;
      entry.place = answered_.insert(answered_.end(), place->first);
      bytes_ += BytesOf(place->first, entry);
      ForgetOld();
    }
  }
  for (const auto& again : waiting) again();
}

void RequestMemory::ForgetOld() {
  const batching::TimePoint now = clock_.Now();
  while (!answered_.empty()) {
    const auto oldest = entries_.find(answered_.front());
    if (oldest->second.forgotten_at > now && answered_.size() <= bounds_.answers &&
        bytes_ <= bounds_.bytes)
      return;
    bytes_ -= BytesOf(oldest->first, oldest->second);
    entries_.erase(oldest);
    answered_.pop_front();
  }
}

}  // namespace gpusim::server
