// StepBoard: a run of a board, and what its caller hears of it.
//
//   gRPC's thread    Begin --> [request memory] --> StartRun
//   chunk's thread   OnProgress --> message --> waits, or is written
//                    OnEnd --> the last message, and OK
//   gRPC's thread    OnWriteDone --> the next that waits; ResumeRun, when there is room again
//
// Messages by time: while a write is under way only the newest waits. Messages by generations are all told: when
// kMostWaiting of them wait, the run does too.
//
// Invariants:
//   1. One write at a time, and one Finish, after which none comes. They are started under the lock.
//   2. The store is not called under the lock, nor from what it calls.
//   3. Whoever goes away ends the run, but for a detached one; its end is remembered all the same.
#include <deque>
#include <memory>
#include <optional>
#include <utility>

#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/services/board_call.h"
#include "server/services/board_calls.h"
#include "server/services/board_creator.h"
#include "server/services/request_repeat.h"

namespace gpusim::server {
namespace {

using RunId = boards::BoardStore::RunId;
using StepReactor = grpc::ServerWriteReactor<v1::StepBoardResponse>;

constexpr std::size_t kMostWaiting = 64;

// Of a detached run.
class NobodyListens final : public boards::RunListener {
 public:
  bool OnProgress(const boards::RunProgress& /*progress*/) override { return true; }
  void OnEnd(const boards::RunEnd& /*end*/, const boards::RunProgress& /*last*/) override {}
};

class StepBoardCall final : public StepReactor,
                            public boards::RunListener,
                            public std::enable_shared_from_this<StepBoardCall> {
 public:
  static StepReactor* Start(const ServingContext& context, grpc::CallbackServerContext& call,
                            const v1::StepBoardRequest& request) {
    const auto reactor = std::make_shared<StepBoardCall>(context, call, request);
    reactor->grpcs_hold_ = reactor;
    reactor->Begin();
    return reactor.get();
  }

  StepBoardCall(const ServingContext& context, grpc::CallbackServerContext& call,
                const v1::StepBoardRequest& request)
      : context_(context),
        request_(request),
        entry_(std::in_place, context.calls, CallMethod::kStepBoard, call),
        caller_(entry_->caller()) {}

 private:
  void Begin() {
    SeeWhatCameBefore();
    if (const auto& denial = entry_->denial()) return End(Denied(*denial));
    if (auto other = BoardOfAnother(context_, caller_, request_.name())) return End(*other);
    Violations violations;
    wishes_ = ReadRun(request_, violations);
    if (!violations.empty()) return End(BadInput(violations));
    wishes_.client = entry_->caller().key;
    if (request_.request_id().empty()) {
      StartRun();
    } else {
      AskMemory();
    }
  }

  void AskMemory() {
    if (gone()) return;
    const auto self = shared_from_this();
    // A call that waits asks again on a thread that may call the store.
    const RequestMemory::Earlier earlier = context_.request_memory.Begin(
        KeyOf(request_, caller_), FingerprintOf(request_),
        [self] { self->context_.conversions.Post([self] { self->AskMemory(); }); });
    switch (earlier.seen) {
      case RequestMemory::Seen::kFirst:
        remembers_ = true;
        StartRun();
        break;
      case RequestMemory::Seen::kUnderWay:
        break;
      case RequestMemory::Seen::kAnswered:
        EndWith(FromMemory<v1::StepBoardResponse>(earlier.answer));
        break;
      case RequestMemory::Seen::kOther:
        End(OtherContents(request_.request_id()));
    }
  }

  void StartRun() {
    std::shared_ptr<boards::RunListener> listener = shared_from_this();
    if (wishes_.detached) listener = std::make_shared<NobodyListens>();
    const auto run = context_.boards.StartRun(request_.name(), wishes_, listener);
    if (!run) {
      Remember(std::nullopt);
      End(BoardFailed(run.error()));
    } else if (wishes_.detached) {
      TellStart();
    } else {
      TakeRun(*run);
    }
  }

  void TakeRun(RunId run) {
    bool stop = false;
    bool resume = false;
    {
      const batching::MutexLock lock(mutex_);
      run_ = run;
      stop = gone_;
      resume = MayResume();
    }
    if (stop) context_.boards.StopRun(run);
    if (resume) context_.boards.ResumeRun(run);
  }

  // Of a detached run: where it is now.
  void TellStart() {
    const auto self = shared_from_this();
    context_.boards.CountFacts(request_.name(), wishes_.facts,
                               [self](const boards::Result<boards::BoardFacts>& facts) {
                                 v1::StepBoardResponse message;
                                 if (facts)
                                   FillFacts(*facts, self->wishes_.facts, *message.mutable_facts());
                                 message.set_target_generation(self->TargetGeneration());
                                 *message.mutable_provenance() = self->context_.provenance;
                                 self->Remember(message.SerializeAsString());
                                 self->EndWith(std::move(message));
                               });
  }

  // As far as it is known: a run that waits may begin later than now.
  std::uint64_t TargetGeneration() const {
    if (wishes_.to_generation) return *wishes_.to_generation;
    const auto status = context_.boards.Get(request_.name());
    if (!status) return 0;
    if (status->run && status->run->request_id == wishes_.request_id)
      return status->run->target_generation;
    return status->last_run && status->last_run->request_id == wishes_.request_id
               ? status->last_run->generation
               : 0;
  }

  bool OnProgress(const boards::RunProgress& progress) override {
    const batching::MutexLock lock(mutex_);
    if (finished_ || gone_) return true;
    if (wishes_.facts_every == 0) waiting_.clear();
    FillProgress(progress, wishes_.facts, waiting_.emplace_back());
    Advance();
    paused_ = wishes_.facts_every != 0 && waiting_.size() >= kMostWaiting;
    return !paused_;
  }

  void OnEnd(const boards::RunEnd& end, const boards::RunProgress& last) override {
    if (!end.error.empty()) {
      Remember(std::nullopt);
      return End(BoardFailed({.reason = end.error_reason, .message = end.error}));
    }
    v1::StepBoardResponse message;
    FillProgress(last, wishes_.facts, message);
    message.set_stop_reason(StopReasonOf(end.reason));
    message.set_period(end.period);
    *message.mutable_provenance() = context_.provenance;
    Remember(message.SerializeAsString());
    EndWith(std::move(message));
  }

  void Remember(std::optional<std::string> answer) {
    if (std::exchange(remembers_, false))
      context_.request_memory.End(KeyOf(request_, caller_), std::move(answer));
  }

  void EndWith(v1::StepBoardResponse last) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (finished_ || gone_) return;
    if (wishes_.facts_every == 0) waiting_.clear();
    waiting_.push_back(std::move(last));
    ending_ = grpc::Status::OK;
    Advance();
  }

  void End(const grpc::Status& status) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (finished_ || gone_) return;
    ending_ = status;
    Advance();
  }

  void OnWriteDone(bool ok) override {
    std::optional<RunId> resume;
    {
      const batching::MutexLock lock(mutex_);
      writing_ = false;
      if (!ok) waiting_.clear();  // OnCancel comes, too
      Advance();
      if (MayResume()) resume = run_;
    }
    if (!resume) return;
    context_.boards.ResumeRun(*resume);
    SeeWhatCameBefore();  // and let OnDone see this
  }

  // Whether a run that waits may go on, of which this is then the news.
  bool MayResume() GPUSIM_REQUIRES(mutex_) {
    return run_ && paused_ && waiting_.size() <= kMostWaiting / 2 && std::exchange(paused_, false);
  }

  // At the caller's deadline too.
  void OnCancel() override {
    std::optional<RunId> stop;
    {
      const batching::MutexLock lock(mutex_);
      gone_ |= !finished_;
      stop = run_;
    }
    if (stop) context_.boards.StopRun(*stop);
    const batching::MutexLock lock(mutex_);
    if (finished_) return;
    waiting_.clear();
    ending_ = NotAnswered(entry_->Gone(), "");
    Advance();
  }

  // Writes what waits, unless that has to wait for the write under way. Reactions never run inside, so the
  // lock may be held.
  void Advance() GPUSIM_REQUIRES(mutex_) {
    if (writing_ || finished_) return;
    if (!waiting_.empty()) {
      writing_ = true;
      response_ = std::move(waiting_.front());
      waiting_.pop_front();
      StartWrite(&response_);
    } else if (ending_) {
      finished_ = true;
      entry_->End(*ending_);
      Finish(*ending_);
    }
  }

  bool gone() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    return gone_;
  }

  // See simulate.cc.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  void OnDone() override {
    SeeWhatCameBefore();
    entry_.reset();
    const auto last = std::move(grpcs_hold_);
  }

  const ServingContext& context_;
  const v1::StepBoardRequest request_;
  boards::RunWishes wishes_;  // do not change once the run is started
  bool remembers_ = false;    // the memory waits for its End; of whoever ends the work
  std::shared_ptr<StepBoardCall> grpcs_hold_;

  std::optional<CallEntry> entry_;  // until OnDone
  const Caller caller_;

  batching::Mutex mutex_;
  std::optional<RunId> run_ GPUSIM_GUARDED_BY(mutex_);
  std::deque<v1::StepBoardResponse> waiting_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<grpc::Status> ending_ GPUSIM_GUARDED_BY(mutex_);  // once nothing waits
  bool paused_ GPUSIM_GUARDED_BY(mutex_) = false;                 // the run waits for room
  bool writing_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool gone_ GPUSIM_GUARDED_BY(mutex_) = false;  // the caller
  bool finished_ GPUSIM_GUARDED_BY(mutex_) = false;
  v1::StepBoardResponse response_;  // gRPC's while a write is under way
};

}  // namespace

StepReactor* StartStepBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                            const v1::StepBoardRequest& request) {
  return StepBoardCall::Start(context, call, request);
}

}  // namespace gpusim::server
