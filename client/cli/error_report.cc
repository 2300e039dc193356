#include "client/cli/error_report.h"

#include <string>

#include "client/cli/text.h"
#include "client/duration_text.h"

namespace gpusim::cli {
namespace {

std::string Reason(const Error& error) {
  std::string message = Printable(error.message);
  // What the client refused itself was sent to no server.
  if (!error.connected && error.code == StatusCode::kInvalidArgument) return message;
  if (!error.connected) return message + "; start gpusim-server or pass --server";
  switch (error.code) {
    case StatusCode::kDeadlineExceeded:
      return message + "; pass a longer --timeout";
    case StatusCode::kCancelled:
      return "interrupted";
    case StatusCode::kUnavailable:
      return "the server is unavailable: " + message;
    case StatusCode::kUnknown:
    case StatusCode::kInternal:
    case StatusCode::kDataLoss:
      return "the server failed (" + std::string(StatusName(error.code)) + "): " + message;
    default:
      return "the server refused (" + std::string(StatusName(error.code)) + "): " + message;
  }
}

}  // namespace

Failure Report(const Error& error) {
  Failure failure{error.code == StatusCode::kCancelled ? kExitInterrupted : kExitFailed, {}};
  failure.lines.push_back(Reason(error));
  if (error.retry_after) {
    failure.lines.push_back("  come again in " + DurationText(*error.retry_after));
  }
  for (const FieldViolation& violation : error.violations) {
    failure.lines.push_back("  " + Printable(violation.field) + ": " +
                            Printable(violation.description));
  }
  return failure;
}

}  // namespace gpusim::cli
