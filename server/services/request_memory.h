// What was answered to calls that change something, so that a repeat gets the same answer and changes nothing.
//
//   Begin --> kFirst ----- the call does its work ----- End(answer) --> remembered for 10 minutes
//         |                                        \--- End(nullopt) -> forgotten: a repeat is a first call again
//         |-> kUnderWay    `again` is called at its End, once
//         |-> kAnswered    with the answer
//         \-> kOther       the id was used with other contents
//
// Bounded in number and bytes: the oldest answers are forgotten first.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "server/batching/clock.h"
#include "server/batching/mutex.h"

namespace gpusim::server {

// Thread-safe; no call blocks.
class RequestMemory {
 public:
  static constexpr std::chrono::minutes kKept{10};

  struct Bounds {
    std::size_t answers = 100'000;
    std::size_t bytes = 64u << 20;  // of ids and answers
  };

  // The clock outlives it.
  explicit RequestMemory(batching::Clock& clock) : RequestMemory(clock, Bounds{}) {}
  RequestMemory(batching::Clock& clock, Bounds bounds) : clock_(clock), bounds_(bounds) {}
  RequestMemory(const RequestMemory&) = delete;
  RequestMemory& operator=(const RequestMemory&) = delete;

  // A call by its name and request_id.
  struct Key {
    std::string_view call;
    std::string_view id;
    std::string_view caller = {};  // whose alone the answer is
  };
  enum class Seen : std::uint8_t { kFirst, kUnderWay, kAnswered, kOther };
  struct Earlier {
    Seen seen = Seen::kFirst;
    std::string answer;      // of kAnswered
    std::uint64_t rows = 0;  // likewise, as End was told
  };

  // Who gets kFirst has to call End, once. `again` is kept for kUnderWay alone; it is called by the thread of
  // that End and may call the memory.
  Earlier Begin(const Key& key, std::uint64_t fingerprint, std::function<void()> again)
      GPUSIM_EXCLUDES(mutex_);
  // `rows`: a fingerprint of what came behind the contents that Begin knew.
  void End(const Key& key, std::optional<std::string> answer, std::uint64_t rows = 0)
      GPUSIM_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::uint64_t fingerprint = 0;
    bool answered = false;
    std::string answer;
    std::uint64_t rows = 0;
    batching::TimePoint forgotten_at;
    std::list<std::string>::iterator place;      // in `answered_`, once answered
    std::vector<std::function<void()>> waiting;  // until then
  };

  static std::string TextOf(const Key& key);
  static std::size_t BytesOf(const std::string& text, const Entry& entry);
  void ForgetOld() GPUSIM_REQUIRES(mutex_);

  batching::Clock& clock_;
  const Bounds bounds_;
  batching::Mutex mutex_;
  std::unordered_map<std::string, Entry> entries_ GPUSIM_GUARDED_BY(mutex_);
  std::list<std::string> answered_ GPUSIM_GUARDED_BY(mutex_);  // the oldest first
  std::size_t bytes_ GPUSIM_GUARDED_BY(mutex_) = 0;            // of the answered
};

}  // namespace gpusim::server
