#include "client/call_error.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

#include "client/duration_text.h"
#include "google/rpc/error_details.pb.h"

namespace gpusim {
namespace {

using std::chrono::nanoseconds;

// gRPC has no code of its own for 'nobody there'; its words are all there is. The first two are
// those of its balancing policies (pick_first and round_robin), the third of its resolver.
bool NobodyThere(std::string_view message) {
  return message.starts_with("failed to connect to all addresses") ||
         message.starts_with("connections to all backends failing") ||
         message.starts_with("DNS resolution failed");
}

// gRPC's messages end with the operating system's reason: "... Connection refused".
std::string ReasonOf(std::string_view message) {
  if (message.starts_with("DNS resolution failed")) return "the name does not resolve";
  const auto colon = message.rfind(": ");
  std::string reason(colon == message.npos ? message : message.substr(colon + 2));
  if (!reason.empty()) {
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  }
  return reason;
}

// What went wrong between the two ends of a connection that was made, by the words that gRPC and OpenSSL have for it; empty:
// none was made.
std::string TlsReason(std::string_view message) {
  struct Case {
    std::string_view words;
    const char* reason;
  };
  constexpr std::array<Case, 5> kCases{
      {{"certificate verify failed",
        "the server's certificate has expired, or is of no authority in tls_ca"},
       {"is not in peer certificate",
        "the server's certificate is for another name, which tls_server_name has to be"},
       {"wrong version number", "the server speaks plaintext there"},
       {"handshake failed", "the handshake fails"},
       {"Socket closed",
        "the server closed the connection at once, as those do that ask for TLS (tls_ca) or for a "
        "certificate (tls_certificate)"}}};
  for (const Case& known : kCases) {
    if (message.find(known.words) != message.npos) return known.reason;
  }
  return {};
}

void TakeDetails(const google::rpc::Status& details, Error& error) {
  for (const google::protobuf::Any& any : details.details()) {
    google::rpc::BadRequest bad_request;
    google::rpc::RetryInfo retry_info;
    google::rpc::ErrorInfo error_info;
    if (any.UnpackTo(&bad_request)) {
      for (const auto& violation : bad_request.field_violations()) {
        error.violations.push_back({violation.field(), violation.description()});
      }
    } else if (any.UnpackTo(&retry_info)) {
      const auto& delay = retry_info.retry_delay();
      constexpr std::int64_t kLongest = 1'000'000'000;  // seconds; more would overflow
      error.retry_after =
          std::chrono::seconds(std::clamp<std::int64_t>(delay.seconds(), 0, kLongest)) +
          nanoseconds(std::max(delay.nanos(), 0));
    } else if (any.UnpackTo(&error_info) && error_info.reason() == "BOARD_ELSEWHERE") {
      const auto address = error_info.metadata().find("address");
      if (address != error_info.metadata().end()) error.owner_address = address->second;
    }
  }
}

}  // namespace

Error ErrorFromStatus(const grpc::Status& status, const std::string& server, nanoseconds timeout,
                      grpc_connectivity_state connection) {
  Error error;
  error.code = static_cast<StatusCode>(status.error_code());
  error.message = status.error_message();
  google::rpc::Status details;
  if (details.ParseFromString(status.error_details())) TakeDetails(details, error);
  if (error.code == StatusCode::kUnavailable && NobodyThere(error.message)) {
    const std::string tls = TlsReason(error.message);
    error.connected = !tls.empty();
    error.message = error.connected
                        ? "no TLS or plaintext in common with " + server + ": " + tls
                        : "no server answers at " + server + ": " + ReasonOf(error.message);
  } else if (error.code == StatusCode::kDeadlineExceeded) {
    error.connected =
        connection != GRPC_CHANNEL_CONNECTING && connection != GRPC_CHANNEL_TRANSIENT_FAILURE;
    error.message = (error.connected ? "no answer from " : "no server answers at ") + server +
                    " within " + DurationText(timeout);
  } else if (error.code == StatusCode::kCancelled) {
    error.message = "the call was cancelled";
  }
  return error;
}

Error ErrorFromStatus(const google::rpc::Status& status) {
  Error error;
  error.code = static_cast<StatusCode>(status.code());
  error.message = status.message();
  TakeDetails(status, error);
  return error;
}

std::optional<nanoseconds> WaitBeforeRepeat(const Error& error, bool wait_as_told,
                                            nanoseconds time_left) {
  const bool may_pass =
      error.code == StatusCode::kResourceExhausted || error.code == StatusCode::kUnavailable;
  if (!may_pass || !error.retry_after || !wait_as_told) return std::nullopt;
  // A server that says 'at once' shall not be asked in a busy loop.
  const nanoseconds wait = std::max<nanoseconds>(*error.retry_after, std::chrono::milliseconds(1));
  if (wait >= time_left) return std::nullopt;
  return wait;
}

}  // namespace gpusim
