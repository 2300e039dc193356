#include <algorithm>
#include <utility>

#include <gpusim/client_proto.h>
#include <gpusim/odds_stream.h>

#include "client/messages.h"

namespace gpusim {
namespace {

v1::StreamOddsRequest ToMessage(std::uint64_t id, const StreamQuestion& question,
                                std::optional<std::chrono::milliseconds> timeout) {
  v1::StreamOddsRequest message;
  message.set_id(id);
  if (const auto* odds = std::get_if<OddsRequest>(&question)) {
    *message.mutable_odds() = gpusim::ToMessage(*odds);
  } else {
    *message.mutable_moves() = gpusim::ToMessage(std::get<MovesRequest>(question));
  }
  if (timeout) {
    constexpr std::int64_t kLongest = 0xffff'ffff;
    const auto ms = std::clamp<std::int64_t>(timeout->count(), 1, kLongest);
    message.set_timeout_ms(static_cast<std::uint32_t>(ms));
  }
  return message;
}

}  // namespace

OddsStream::OddsStream(std::unique_ptr<ProtoOddsStream> proto) : proto_(std::move(proto)) {}
OddsStream::~OddsStream() = default;
OddsStream::OddsStream(OddsStream&&) noexcept = default;
OddsStream& OddsStream::operator=(OddsStream&&) noexcept = default;

Result<void> OddsStream::Send(std::uint64_t id, const StreamQuestion& question,
                              std::optional<std::chrono::milliseconds> timeout) {
  return proto_->Send(ToMessage(id, question, timeout));
}

Result<bool> OddsStream::TrySend(std::uint64_t id, const StreamQuestion& question,
                                 std::optional<std::chrono::milliseconds> timeout) {
  return proto_->TrySend(ToMessage(id, question, timeout));
}

std::optional<StreamAnswer> OddsStream::Next() {
  const auto item = proto_->Next();
  if (!item) return std::nullopt;
  return FromMessage(*item);
}

void OddsStream::Close() { proto_->Close(); }

Result<void> OddsStream::Finish() { return proto_->Finish(); }

std::uint32_t OddsStream::max_in_flight() { return proto_->max_in_flight(); }

}  // namespace gpusim
