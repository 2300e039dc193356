// Questions and answers as they come, on one stream.
//
//   auto stream = client.StreamOdds();
//   stream->Send(1, gpusim::OddsRequest{...});
//   while (auto item = stream->Next()) Use(item->id, item->answer);
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <variant>

#include <gpusim/camel_up.h>
#include <gpusim/camel_up_moves.h>
#include <gpusim/result.h>

namespace gpusim {

class ProtoOddsStream;

// A question fails alone: its answer is an Error, and the stream goes on.
struct StreamAnswer {
  std::uint64_t id = 0;  // that the question was sent with
  Result<std::variant<Odds, Moves>> answer = {};
};

using StreamQuestion = std::variant<OddsRequest, MovesRequest>;

// The server announces how many questions may be under way; the stream never sends more. A question
// is under way until its answer is taken (Next), or given to the callback. Thread-safe, but for
// destruction. It may outlive its client, whose end cancels it.
class OddsStream {
 public:
  explicit OddsStream(std::unique_ptr<ProtoOddsStream> proto);
  // Cancels what is still under way and waits for a callback that runs, so it must not run in it.
  ~OddsStream();
  OddsStream(OddsStream&&) noexcept;
  OddsStream& operator=(OddsStream&&) noexcept;

  // Blocks while as many questions are under way as may be: another thread, or a callback, has to
  // take the answers. `timeout` is this question's own; unset: the client's. An error with
  // kInvalidArgument is about the question alone; any other says that the stream takes no more.
  Result<void> Send(std::uint64_t id, const StreamQuestion& question,
                    std::optional<std::chrono::milliseconds> timeout = {});

  // The same, but false instead of blocking. For callbacks, and for a thread that sends and takes
  // in turn. Blocks only until the server has announced its number.
  Result<bool> TrySend(std::uint64_t id, const StreamQuestion& question,
                       std::optional<std::chrono::milliseconds> timeout = {});

  // Blocks until an answer is there; nothing when the stream is over and all are taken. Not for a
  // stream with a callback.
  std::optional<StreamAnswer> Next();

  // No more questions; what was sent is still answered.
  void Close();

  // Closes, and blocks until the stream is over: how it ended. Answers that nobody has taken stay.
  Result<void> Finish();

  // Blocks until the server has announced it; 0 if the stream ended before.
  std::uint32_t max_in_flight();

 private:
  std::unique_ptr<ProtoOddsStream> proto_;
};

}  // namespace gpusim
