#include "server/services/conversion_pool.h"

#include <utility>

namespace gpusim::server {

using batching::MutexLock;

ConversionPool::ConversionPool(int threads, std::size_t max_waiting) : max_waiting_(max_waiting) {
  for (int i = 0; i < threads; ++i) threads_.emplace_back([this] { RunJobs(); });
}

ConversionPool::~ConversionPool() { Stop(); }

void ConversionPool::Stop() {
  {
    const MutexLock lock(mutex_);
    stopping_ = true;
  }
  changed_.NotifyAll();
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
}

bool ConversionPool::TryPost(std::function<void()> job) {
  {
    const MutexLock lock(mutex_);
    if (waiting_.size() >= max_waiting_) {
      ++refused_;
      return false;
    }
    waiting_.push_back(std::move(job));
  }
  changed_.NotifyOne();
  return true;
}

void ConversionPool::Post(std::function<void()> job) {
  {
    const MutexLock lock(mutex_);
    waiting_.push_back(std::move(job));
  }
  changed_.NotifyOne();
}

ConversionPool::Load ConversionPool::load() const {
  const MutexLock lock(mutex_);
  return {waiting_.size(), refused_};
}

void ConversionPool::RunJobs() {
  while (true) {
    std::function<void()> job;
    {
      const MutexLock lock(mutex_);
      while (waiting_.empty() && !stopping_) changed_.Wait(mutex_);
      if (waiting_.empty()) return;
      job = std::move(waiting_.front());
      waiting_.pop_front();
    }
    job();
  }
}

}  // namespace gpusim::server
