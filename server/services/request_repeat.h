// What the handlers of calls with a request_id share (request_memory.h).
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <grpcpp/support/status.h>
#include <tl/expected.hpp>

#include "server/calls/call_entry.h"
#include "server/services/board_convert.h"
#include "server/services/error_mapping.h"
#include "server/services/request_memory.h"

namespace gpusim::server {

template <class Message>
concept HasRequestId = requires(const Message& message) {
  message.request_id();
};

template <HasRequestId Message>
RequestMemory::Key KeyOf(const Message& message, const Caller& caller) {
  return {.call = Message::descriptor()->name(),
          .id = message.request_id(),
          .caller = caller.has_token ? std::string_view(caller.name) : std::string_view()};
}

// Of a message's contents, for as long as the process lives.
inline std::uint64_t FingerprintOf(const google::protobuf::Message& message) {
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeToCodedStream(&coded);
  }
  return std::hash<std::string>()(bytes);
}

template <HasRequestId Message>
std::optional<grpc::Status> RequestIdFault(const Message& message) {
  Violations violations;
  CheckRequestId(message.request_id(), violations);
  if (violations.empty()) return std::nullopt;
  return BadInput(violations);
}

inline grpc::Status OtherContents(const std::string& id) {
  return BadInput({{"request_id", id, "a call with other contents had it in the last 10 minutes"}});
}

// What is remembered: answers alone.
template <class Response>
std::optional<std::string> RememberedOf(const tl::expected<Response, grpc::Status>& answer) {
  if (!answer) return std::nullopt;
  return answer->SerializeAsString();
}

template <class Response>
Response FromMemory(const std::string& answer) {
  Response response;
  response.ParseFromString(answer);
  return response;
}

}  // namespace gpusim::server
