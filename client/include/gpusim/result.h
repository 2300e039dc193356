// How a call ends: with its value, or with an Error. Nothing here or in the client throws.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

namespace gpusim {

// The numbers of gRPC's status codes. OK is missing: an Error is never OK.
enum class StatusCode : int {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,  // Error::violations name the fields
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,  // Error::retry_after says when to come again, where the server knows
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
  kUnauthenticated = 16,
};

// "INVALID_ARGUMENT" and so on; "UNKNOWN" for a number that has no name.
std::string_view StatusName(StatusCode code);

// One fault of a request.
struct FieldViolation {
  std::string field = {};        // a path such as "position.tiles[1].space"
  std::string description = {};  // the value and the rule that it breaks

  friend bool operator==(const FieldViolation&, const FieldViolation&) = default;
};

struct Error {
  StatusCode code = StatusCode::kUnknown;
  std::string message = {};  // for people
  std::vector<FieldViolation> violations = {};
  std::optional<std::chrono::nanoseconds> retry_after = {};
  // False when no server was reached: nobody listens there, or the name does not resolve.
  bool connected = true;
  // Of a board that belongs to another server: where that one takes calls.
  std::string owner_address = {};
};

// A value or an Error. `if (result) use(*result); else report(result.error());`
template <class T>
using Result = tl::expected<T, Error>;

}  // namespace gpusim
