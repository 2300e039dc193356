#include "server/calls/call_entry.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <random>
#include <utility>

namespace gpusim::server {
namespace {

constexpr char kRequestId[] = "x-request-id";
constexpr char kTraceparent[] = "traceparent";
constexpr char kAuthorization[] = "authorization";
constexpr std::size_t kLongestRequestId = 128;

bool IsRequestId(std::string_view text) {
  return !text.empty() && text.size() <= kLongestRequestId &&
         std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c <= '~'; });
}

// 00-TRACE-SPAN-FLAGS in lower-case hex digits; versions to come may append to it.
bool IsTraceparent(std::string_view text) {
  constexpr std::string_view kShape = "hh-hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh-hhhhhhhhhhhhhhhh-hh";
  const auto matches = [](char c, char shape) {
    const bool hex = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    return shape == 'h' ? hex : c == shape;
  };
  return text.size() == kShape.size() &&
         std::equal(text.begin(), text.end(), kShape.begin(), matches);
}

std::string_view MetadataOf(const grpc::CallbackServerContext& call, const char* key) {
  const auto& metadata = call.client_metadata();
  const auto found = metadata.find(key);
  if (found == metadata.end()) return {};
  return {found->second.data(), found->second.size()};
}

std::optional<std::string_view> AuthorizationOf(const grpc::CallbackServerContext& call) {
  if (call.client_metadata().count(kAuthorization) != 1) return std::nullopt;
  return MetadataOf(call, kAuthorization);
}

std::uint64_t KeyOf(std::string_view name) { return std::hash<std::string_view>()(name) | 1; }

// 16 hex digits, no two alike while the server runs.
std::string NewRequestId() {
  static const std::uint64_t first =
      (std::uint64_t{std::random_device()()} << 32) | std::random_device()();
  static std::atomic<std::uint64_t> count{0};
  constexpr char kDigits[] = "0123456789abcdef";
  std::string id(16, '0');
  std::uint64_t value = first + count.fetch_add(1, std::memory_order_relaxed);
  for (auto digit = id.rbegin(); digit != id.rend(); ++digit, value >>= 4)
    *digit = kDigits[value & 15];
  return id;
}

}  // namespace

Caller CallerOf(std::string_view peer) {
  constexpr std::string_view kUnix = "unix:";
  std::string name = "unknown";
  if (peer.substr(0, kUnix.size()) == kUnix) {
    name = "unix";
  } else if (const std::size_t family = peer.find(':'); family != std::string_view::npos) {
    name = peer.substr(family + 1);
    if (const std::size_t port = name.rfind(':'); port != std::string::npos) name.resize(port);
    // gRPC writes the brackets of an IPv6 address as a URI does.
    for (const auto& [code, bracket] : {std::pair("%5B", "["), std::pair("%5D", "]")})
      if (const std::size_t at = name.find(code); at != std::string::npos)
        name.replace(at, std::string_view(code).size(), bracket);
  }
  const std::uint64_t key = KeyOf(name);
  return {.name = std::move(name), .key = key};
}

CallEntry::CallEntry(CallBook& book, CallMethod method, grpc::CallbackServerContext& call)
    : book_(book), method_(method), call_(call), caller_(CallerOf(call.peer())) {
  book_.Begin();
  if (const auto id = MetadataOf(call, kRequestId); IsRequestId(id)) request_id_ = id;
  if (const auto trace = MetadataOf(call, kTraceparent); IsTraceparent(trace)) traceparent_ = trace;
  auto admission = book.gate().Admit(AuthorizationOf(call), caller_.name, RoleOf(method));
  if (!admission) {
    denial_ = std::move(admission.error());
    return;
  }
  share_ = std::move(admission->share);
  const access::Identity& identity = admission->identity;
  caller_ = {.name = identity.name,
             .key = KeyOf(identity.name),
             .role = identity.role,
             .has_token = book.gate().asks_for_tokens()};
}

CallEntry::~CallEntry() { book_.End(); }

batching::Outcome CallEntry::Gone() const {
  const bool late = std::chrono::system_clock::now() >= call_.deadline();
  return late ? batching::Outcome::kExpired : batching::Outcome::kCancelled;
}

void CallEntry::End(const grpc::Status& status) {
  if (request_id_.empty() && !status.ok()) request_id_ = NewRequestId();
  if (!request_id_.empty()) call_.AddTrailingMetadata(kRequestId, request_id_);
  if (!traceparent_.empty()) call_.AddTrailingMetadata(kTraceparent, traceparent_);
  const std::string& reason = status.error_message();
  book_.Count({.method = method_,
               .code = status.error_code(),
               .took = std::chrono::steady_clock::now() - start_,
               .request_id = request_id_,
               .traceparent = traceparent_,
               .caller = caller_.name,
               .reason = reason});
}

}  // namespace gpusim::server
