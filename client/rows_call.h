// A call that sends a header, perhaps the rows of a board in bands, and gets one answer. Blocking,
// with the repeats of unary_call.h: the rows are read from the start for every attempt.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <gpusim/life_boards.h>
#include <gpusim/result.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include "client/unary_call.h"

namespace gpusim {

inline std::uint64_t RowBytes(std::uint64_t width) { return (width + 7) / 8; }

// Whole rows of at most 1 MiB, which is what servers take in one message.
inline std::uint64_t BandRows(std::uint64_t width) {
  constexpr std::uint64_t kBandBytes = std::uint64_t{1} << 20;
  return std::max<std::uint64_t>(kBandBytes / std::max<std::uint64_t>(RowBytes(width), 1), 1);
}

// Until the server takes no more; why is then in its status. An Error is the source's.
template <class Request>
std::optional<Error> WriteRows(grpc::ClientWriterInterface<Request>& writer,
                               const StreamedRows& rows) {
  const std::uint64_t height = rows.height;
  const std::uint64_t band = BandRows(rows.width);
  for (std::uint64_t first = 0; first < height; first += band) {
    const std::uint64_t count = std::min(band, height - first);
    auto bytes = rows.read(first, count);
    if (!bytes) return std::move(bytes.error());
    const std::uint64_t expected = count * RowBytes(rows.width);
    if (bytes->size() != expected) {
      return Error{.code = StatusCode::kInvalidArgument,
                   .message = "the source of the rows gave " + std::to_string(bytes->size()) +
                              " bytes, not " + std::to_string(expected),
                   .violations = {},
                   .retry_after = {},
                   .connected = false};
    }
    Request request;
    request.set_rows(std::move(*bytes));
    if (!writer.Write(request)) return std::nullopt;
  }
  return std::nullopt;
}

// `open(context, response)` makes one attempt and gives its writer. `rows` may be null.
template <class Request, class Response, class Open>
Result<Response> SendRows(const CallTerms& terms, Open open, const Request& header,
                          const StreamedRows* rows) {
  CancellationState& cancellation = terms.cancellation.state();
  for (;;) {
    const auto context = terms.NewContext();
    const auto id = cancellation.Add([context] { context->TryCancel(); });
    Response response;
    const auto writer = open(context.get(), &response);
    std::optional<Error> source_error;
    if (writer->Write(header) && rows != nullptr) source_error = WriteRows(*writer, *rows);
    if (source_error) {
      context->TryCancel();
    } else {
      writer->WritesDone();
    }
    const grpc::Status status = writer->Finish();
    cancellation.Remove(id);
    if (source_error) return tl::unexpected(std::move(*source_error));
    if (status.ok()) return response;

    Error error = terms.ToError(status);
    const auto wait = terms.WaitBefore(error);
    if (!wait) return tl::unexpected(std::move(error));
    if (cancellation.WaitFor(*wait)) return tl::unexpected(terms.ToError(grpc::Status::CANCELLED));
  }
}

}  // namespace gpusim
