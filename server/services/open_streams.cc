#include "server/services/open_streams.h"

#include <algorithm>

namespace gpusim::server {

using std::chrono::steady_clock;

OpenStreams::OpenStreams(std::chrono::milliseconds max_age) : max_age_(max_age) {
  if (max_age_ > std::chrono::milliseconds(0)) ageing_ = std::thread([this] { EndTheAged(); });
}

OpenStreams::~OpenStreams() {
  if (!ageing_.joinable()) return;
  {
    const batching::MutexLock lock(mutex_);
    closing_ = true;
    changed_.NotifyAll();
  }
  ageing_.join();
}

void OpenStreams::Add(Stream& stream) {
  const batching::MutexLock lock(mutex_);
  Entry& entry =
      streams_.emplace_back(Entry{.stream = &stream, .end = steady_clock::now() + max_age_});
  if (ending_) Ask(entry);
  if (sleeps_) changed_.NotifyAll();
}

void OpenStreams::Remove(Stream& stream) {
  const batching::MutexLock lock(mutex_);
  const auto place = std::find_if(streams_.begin(), streams_.end(),
                                  [&](const Entry& entry) { return entry.stream == &stream; });
  *place = streams_.back();
  streams_.pop_back();
}

void OpenStreams::EndAllSoon() {
  const batching::MutexLock lock(mutex_);
  ending_ = true;
  for (Entry& entry : streams_) {
    if (!entry.asked) Ask(entry);
  }
}

std::size_t OpenStreams::count() const {
  const batching::MutexLock lock(mutex_);
  return streams_.size();
}

void OpenStreams::Ask(Entry& entry) {
  entry.asked = true;
  entry.stream->EndSoon();
}

OpenStreams::TimePoint OpenStreams::AskUntil(TimePoint now) {
  TimePoint next = TimePoint::max();
  for (Entry& entry : streams_) {
    if (entry.asked) continue;
    if (entry.end <= now) {
      Ask(entry);
    } else {
      next = std::min(next, entry.end);
    }
  }
  return next;
}

void OpenStreams::EndTheAged() {
  const batching::MutexLock lock(mutex_);
  while (!closing_) {
    const TimePoint next = AskUntil(steady_clock::now());  // all have the same age before them
    sleeps_ = next == TimePoint::max();
    if (sleeps_) {
      changed_.Wait(mutex_);
    } else {
      changed_.WaitUntil(mutex_, next);
    }
  }
}

}  // namespace gpusim::server
