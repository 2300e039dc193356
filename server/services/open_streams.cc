#include "server/services/open_streams.h"

#include <algorithm>

namespace gpusim::server {

void OpenStreams::Add(Stream& stream) {
  const batching::MutexLock lock(mutex_);
  streams_.push_back(&stream);
  if (ending_) stream.EndSoon();
}

void OpenStreams::Remove(Stream& stream) {
  const batching::MutexLock lock(mutex_);
  const auto place = std::find(streams_.begin(), streams_.end(), &stream);
  *place = streams_.back();
  streams_.pop_back();
}

void OpenStreams::EndAllSoon() {
  const batching::MutexLock lock(mutex_);
  ending_ = true;
  for (Stream* stream : streams_) stream->EndSoon();
}

std::size_t OpenStreams::count() const {
  const batching::MutexLock lock(mutex_);
  return streams_.size();
}

}  // namespace gpusim::server
