// One StreamOdds call from its caller's side.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>

#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include "gpusim/v1/camel_up.grpc.pb.h"
#include "tests/testing/in_process_server.h"

namespace gpusim::testing {

// For tests that ask no exact race questions: a server that is ready sooner.
inline server::ServerOptions OptionsWithoutRaceTables() {
  server::ServerOptions options = TestOptions();
  options.race_table_solving = server::RaceTableSolving::kOff;
  return options;
}

// One thread may ask while another reads.
class OddsStream {
 public:
  // Opens it and waits for the first message, which says how many items may be in flight: 0 if there is
  // none.
  explicit OddsStream(v1::CamelUpService::Stub& stub,
                      std::optional<std::chrono::milliseconds> deadline = std::nullopt) {
    if (deadline) context.set_deadline(std::chrono::system_clock::now() + *deadline);
    stream_ = stub.StreamOdds(&context);
    v1::StreamOddsResponse first;
    if (stream_->Read(&first)) max_in_flight_ = first.opened().max_in_flight();
  }
  std::uint32_t max_in_flight() const { return max_in_flight_; }

  // False when the stream is over.
  bool Ask(const v1::StreamOddsRequest& request) { return stream_->Write(request); }
  bool Ask(std::uint64_t id, const v1::GetOddsRequest& odds, std::uint32_t timeout_ms = 0) {
    v1::StreamOddsRequest request;
    request.set_id(id);
    *request.mutable_odds() = odds;
    request.set_timeout_ms(timeout_ms);
    return Ask(request);
  }

  // The next answer, or nothing at the end of the stream.
  std::optional<v1::StreamItem> Read() {
    v1::StreamOddsResponse response;
    if (!stream_->Read(&response)) return std::nullopt;
    return response.item();
  }
  // So many answers by id, fewer if an id comes twice or the stream ends.
  std::map<std::uint64_t, v1::StreamItem> Read(std::size_t count) {
    std::map<std::uint64_t, v1::StreamItem> items;
    for (std::size_t i = 0; i < count; ++i) {
      const auto item = Read();
      if (!item) break;
      items[item->id()] = *item;
    }
    return items;
  }

  void HalfClose() { stream_->WritesDone(); }
  // How it ended; nothing may be left to read.
  grpc::Status Finish() { return stream_->Finish(); }
  // Once it has ended.
  bool asks_to_reopen() const {
    const auto& trailers = context.GetServerTrailingMetadata();
    const auto found = trailers.find("gpusim-reopen");
    return found != trailers.end() && found->second == "1";
  }

  grpc::ClientContext context;

 private:
  std::unique_ptr<grpc::ClientReaderWriter<v1::StreamOddsRequest, v1::StreamOddsResponse>> stream_;
  std::uint32_t max_in_flight_ = 0;
};

// Questions about legal positions of the first edition, 2,511 different ones.
inline v1::GetOddsRequest OddsQuestionNumber(std::uint32_t number) {
  constexpr std::array kCamels{v1::CAMEL_BLUE, v1::CAMEL_GREEN, v1::CAMEL_ORANGE, v1::CAMEL_YELLOW,
                               v1::CAMEL_WHITE};
  constexpr std::array kDice{v1::DIE_BLUE, v1::DIE_GREEN, v1::DIE_ORANGE, v1::DIE_YELLOW,
                             v1::DIE_WHITE};
  v1::GetOddsRequest request;
  v1::Position& position = *request.mutable_position();
  position.set_edition(v1::EDITION_FIRST);
  std::uint32_t space = 1;
  for (const v1::Camel camel : kCamels) {
    v1::Stack& stack = *position.add_stacks();
    stack.set_space(space);
    stack.add_camels(camel);
    if (position.stacks_size() < 5) {
      space += 1 + number % 3;
      number /= 3;
    }
  }
  const std::uint32_t dice_left = 1 + number % 31;
  for (std::size_t die = 0; die < kDice.size(); ++die) {
    if ((dice_left >> die & 1) != 0) position.add_dice(kDice[die]);
  }
  return request;
}

}  // namespace gpusim::testing
