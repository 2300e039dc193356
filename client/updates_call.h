// A call with one question and running answers, blocking, with the repeats of unary_call.h: it is
// sent again only before the first answer.
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include <gpusim/result.h>
#include <grpcpp/client_context.h>
#include <grpcpp/support/sync_stream.h>

#include "client/unary_call.h"

namespace gpusim {

// One attempt. Every answer ends up in `last`; false from `on_answer` stops the call, and is then
// a good end.
template <class Response, class Open>
grpc::Status ReadAttempt(grpc::ClientContext& context, Open& open,
                         const std::function<bool(const Response&)>& on_answer, Response& last,
                         bool& any) {
  bool stopped = false;
  const auto reader = open(&context);
  Response message;
  // After a stop, what is still on its way is read and dropped: gRPC wants every stream read out.
  while (reader->Read(&message)) {
    if (stopped) continue;
    any = true;
    last.Swap(&message);
    stopped = !on_answer(last);
    if (stopped) context.TryCancel();
  }
  const grpc::Status status = reader->Finish();
  return stopped ? grpc::Status::OK : status;
}

// `open(context)` makes one attempt and gives its reader. The result is the last answer.
template <class Response, class Open>
Result<Response> ReadUpdates(const CallTerms& terms, Open open,
                             const std::function<bool(const Response&)>& on_answer) {
  CancellationState& cancellation = terms.cancellation.state();
  for (;;) {
    const auto context = terms.NewContext();
    const auto id = cancellation.Add([context] { context->TryCancel(); });
    Response last;
    bool any = false;
    grpc::Status status = ReadAttempt<Response>(*context, open, on_answer, last, any);
    cancellation.Remove(id);
    if (status.ok() && any) return last;
    if (status.ok()) status = {grpc::StatusCode::INTERNAL, "the stream ended without an answer"};

    Error error = terms.ToError(status);
    const auto wait = terms.WaitBefore(error);
    if (!wait || any) return tl::unexpected(std::move(error));
    if (cancellation.WaitFor(*wait)) return tl::unexpected(terms.ToError(grpc::Status::CANCELLED));
  }
}

}  // namespace gpusim
