// CreateBoard and WriteRegion: a header, perhaps rows in bands, one answer.
//
//   gRPC's thread    read --> OnReadDone --> hand over
//   pool             Take: header | band ----> read the next one        (so one message is held, and who sends
//                    Apply, when all has come                           faster than we store has to wait)
//   any              the store's `done` --> Finish
//
// Invariants:
//   1. Finish is called exactly once, under the lock; no read starts after it.
//   2. The method is used by one thread at a time: by the job of the pool that works on a message, and once all
//      have come by Apply and what follows from it.
//   3. Nothing is applied before all has come; what is not applied leaves nothing behind.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <grpcpp/server_context.h>
#include <grpcpp/support/server_callback.h>

#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/services/board_call.h"
#include "server/services/board_cells.h"
#include "server/services/packed_rows.h"
#include "server/services/request_repeat.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

// Cuts the bytes of bands into rows, and counts them.
class RowBands {
 public:
  RowBands(std::uint32_t width, std::uint32_t height) : width_(width), height_(height) {}

  // The fault of a width whose rows are too long for a message, naming `field`.
  static std::optional<Violation> WidthFault(std::uint32_t width, const std::string& field);

  std::uint32_t next() const { return next_; }
  // The rows of the next band, with their padding.
  tl::expected<life::Board, Violation> Take(std::string_view rows);
  // What is wrong at the end.
  std::optional<Violation> Missing() const;

 private:
  std::string SizeText() const;

  const std::uint32_t width_;
  const std::uint32_t height_;
  std::uint32_t next_ = 0;
};

// FNV-1a, 64 bit, of bytes however they are cut.
class BytesFingerprint {
 public:
  void Add(std::string_view bytes) {
    for (const char byte : bytes)
      hash_ = (hash_ ^ static_cast<unsigned char>(byte)) * 0x00000100000001b3;
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

// A Method has
//   Request, Header, Response
//   Method(context, caller)                    both outlive it
//   static bool Streamed(header)
//   StatusOr<RowBands> Open(header)             takes the header apart; the bands that are to come, of no row
//                                               where it is not streamed
//   boards::Result<void> Store(y, rows)         of a band
//   void Apply(gone, done)                      calls `done` once, on any thread, with the answer; `gone` says whether
//                                               the caller has gone, and nothing needs to be done
//   void Close()                                lets go of what was not applied
//   void Cancel()                               the caller has gone; any thread, also after the end
template <class Method>
class Upload final : public grpc::ServerReadReactor<typename Method::Request>,
                     public std::enable_shared_from_this<Upload<Method>> {
 public:
  using Request = typename Method::Request;
  using Header = typename Method::Header;
  using Response = typename Method::Response;

  static grpc::ServerReadReactor<Request>* Start(const ServingContext& context,
                                                 grpc::CallbackServerContext& call,
                                                 Response& response) {
    std::shared_ptr<Upload> upload(new Upload(context, call, response));
    upload->grpcs_hold_ = upload;
    if (const auto& denial = upload->entry_->denial()) {
      upload->Fail(Denied(*denial));
    } else {
      upload->Read();
    }
    return upload.get();
  }

  ~Upload() override = default;

 private:
  Upload(const ServingContext& context, grpc::CallbackServerContext& call, Response& response)
      : context_(context),
        call_(call),
        response_(response),
        entry_(std::in_place, context.calls, Method::kMethod, call),
        caller_(entry_->caller()),
        method_(context, caller_) {}

  void Read() GPUSIM_EXCLUDES(mutex_) {
    {
      const batching::MutexLock lock(mutex_);
      if (!finished_) return this->StartRead(&message_);
    }
    Forget();
  }

  void OnReadDone(bool ok) override {
    SeeWhatCameBefore();
    auto self = this->shared_from_this();
    const bool cancelled = !ok && call_.IsCancelled();
    const auto work = [self, ok, cancelled] { ok ? self->Take() : self->TakeEnd(cancelled); };
    if (header_ || !ok) {
      context_.conversions.Post(work);
    } else if (!context_.conversions.TryPost(work)) {
      Fail(Refused({.reason = batching::Refusal::Reason::kBytesFull,
                    .limit = context_.max_queued_bytes,
                    .retry_after = std::chrono::milliseconds(100)},
                   "boards"));
    }
  }

  void Take() {
    if (!header_) return TakeHeader();
    if (message_.part_case() != Request::kRows)
      return Refuse({"header", "", "the first message alone is the header; rows follow it"});
    if (!Method::Streamed(*header_))
      return Refuse({"rows", std::to_string(message_.rows().size()) + " bytes",
                     "rows follow a header with the source `streamed` only"});
    TakeRows();
  }

  void TakeHeader() {
    if (message_.part_case() != Request::kHeader)
      return Refuse({"header", "", "the first message is the header"});
    header_ = std::move(*message_.mutable_header());
    if (auto fault = RequestIdFault(*header_)) return Fail(*fault);
    if (Method::Streamed(*header_)) {
      Begin();
    } else {
      Read();  // its end, before anything is done
    }
  }

  // Asks the memory whether this is a repeat; from then on, with an id, End has to follow.
  void Begin() {
    if (gone()) return;
    if (header_->request_id().empty()) return Open();
    auto self = this->shared_from_this();
    if (fingerprint_ == 0) fingerprint_ = FingerprintOf(*header_);
    const RequestMemory::Earlier earlier = context_.request_memory.Begin(
        KeyOf(*header_, caller_), fingerprint_,
        [self] { self->context_.conversions.Post([self] { self->Begin(); }); });
    switch (earlier.seen) {
      case RequestMemory::Seen::kFirst:
        remembers_ = true;
        Open();
        break;
      case RequestMemory::Seen::kUnderWay:
        break;
      case RequestMemory::Seen::kAnswered:
        earlier_ = earlier;
        if (Method::Streamed(*header_)) {
          Read();  // rows, to compare them with those of the first call
        } else {
          Answer(FromMemory<Response>(earlier.answer));
        }
        break;
      case RequestMemory::Seen::kOther:
        Fail(OtherContents(header_->request_id()));
    }
  }

  void Open() {
    auto bands = method_.Open(*header_);
    if (!bands) return Fail(bands.error());
    bands_.emplace(*bands);
    if (Method::Streamed(*header_)) {
      Read();
    } else {
      Apply();
    }
  }

  void TakeRows() {
    if (remembers_ || earlier_) rows_fingerprint_.Add(message_.rows());
    if (!earlier_) {
      const std::uint32_t y = bands_->next();
      const auto rows = bands_->Take(message_.rows());
      if (!rows) return Refuse(rows.error());
      if (auto stored = method_.Store(y, *rows); !stored) return Fail(BoardFailed(stored.error()));
    }
    Read();
  }

  void TakeEnd(bool cancelled) {
    if (gone() || cancelled) return Fail(NotAnswered(batching::Outcome::kCancelled, ""));
    if (!header_) return Refuse({"header", "", "the first message is the header"});
    if (!Method::Streamed(*header_)) return Begin();
    if (earlier_) {
      if (earlier_->rows != rows_fingerprint_.value())
        return Fail(OtherContents(header_->request_id()));
      return Answer(FromMemory<Response>(earlier_->answer));
    }
    if (auto missing = bands_->Missing()) return Refuse(*missing);
    Apply();
  }

  void Apply() {
    auto self = this->shared_from_this();
    method_.Apply([self] { return self->gone(); },
                  [self](StatusOr<Response> answer) { self->Answer(std::move(answer)); });
  }

  void Refuse(const Violation& violation) { Fail(BadInput({violation})); }
  void Fail(const grpc::Status& status) { Answer(tl::unexpected(status)); }

  // Of the work: the answer is remembered, whether or not somebody still waits for it.
  void Answer(StatusOr<Response> answer) {
    method_.Close();
    if (std::exchange(remembers_, false))
      context_.request_memory.End(KeyOf(*header_, caller_), RememberedOf(answer),
                                  rows_fingerprint_.value());
    Finish(std::move(answer));
  }

  // Of a call that has gone before all had come.
  void Forget() {
    if (std::exchange(remembers_, false))
      context_.request_memory.End(KeyOf(*header_, caller_), std::nullopt);
  }

  void Finish(StatusOr<Response> answer) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (std::exchange(finished_, true)) return;
    const grpc::Status status = answer ? grpc::Status::OK : answer.error();
    if (answer) response_ = *std::move(answer);
    entry_->End(status);
    grpc::ServerReadReactor<Request>::Finish(status);
  }

  bool gone() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    return finished_;
  }

  // See simulate.cc.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  void OnCancel() override {
    SeeWhatCameBefore();
    method_.Cancel();
    Finish(tl::unexpected(NotAnswered(entry_->Gone(), "")));
  }

  void OnDone() override {
    SeeWhatCameBefore();
    entry_.reset();
    const auto last = std::move(grpcs_hold_);
  }

  const ServingContext& context_;
  grpc::CallbackServerContext& call_;  // gRPC's, there until OnDone
  Response& response_;                 // likewise
  std::shared_ptr<Upload> grpcs_hold_;
  std::optional<CallEntry> entry_;  // until OnDone
  const Caller caller_;

  // Of the job that works on a message, and what follows.
  Request message_;
  std::optional<Header> header_;
  Method method_;
  std::optional<RowBands> bands_;
  std::uint64_t fingerprint_ = 0;
  BytesFingerprint rows_fingerprint_;
  bool remembers_ = false;                         // the memory waits for its End
  std::optional<RequestMemory::Earlier> earlier_;  // the answer of the first call

  batching::Mutex mutex_;
  bool finished_ GPUSIM_GUARDED_BY(mutex_) = false;
};

}  // namespace gpusim::server
