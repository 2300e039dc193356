#include "server/services/simulate.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/kinds/camel_up_kind.h"
#include "server/kinds/kinds.h"
#include "server/services/cancel_latch.h"
#include "server/services/error_mapping.h"
#include "server/services/odds_call.h"
#include "server/services/odds_response.h"
#include "server/services/priority.h"
#include "server/services/simulate_convert.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

class SimulateCall final : public SimulateReactor,
                           private kinds::Listener<kinds::CamelUpTask>,
                           private OpenStreams::Stream {
 public:
  SimulateCall(const ServingContext& context, grpc::CallbackServerContext& call)
      : context_(context),
        entry_(context.calls, CallMethod::kSimulate, call),
        deadline_(OwnDeadlineOf(call)) {}

  // gRPC knows of the reactor afterwards only, so OnDone cannot come before.
  void Begin(const v1::SimulateRequest& request) {
    SeeWhatCameBefore();
    context_.open_streams.Add(*this);
    const auto priority = PriorityOf(request);
    if (const auto& denial = entry_.denial()) {
      Refuse(Denied(*denial));
    } else if (!priority) {
      Refuse(BadInput(priority.error()));
    } else if (auto plan = SimulatePlanOf(request); !plan) {
      Refuse(BadInput(plan.error()));
    } else if (auto admitted = Admit(context_, plan->question); !admitted) {
      Refuse(admitted.error());
    } else {
      plan_ = *std::move(plan);
      next_update_ = started_ + plan_.update_interval;
      Submit(*priority);
    }
  }

 private:
  // A sum that is to be told.
  struct Update {
    camel_up::Odds odds;
    v1::SimulateState state = v1::SIMULATE_STATE_RUNNING;
  };

  // gRPC runs a reaction after everything that led to it, and orders them by locks of its own, which
  // ThreadSanitizer does not see. Ours it does.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  // Belongs to Release.
  ~SimulateCall() override = default;

  void Submit(batching::Priority priority) {
    batching::Scheduler& scheduler = context_.scheduler;
    kinds::Listener<kinds::CamelUpTask>& listener = *this;
    const batching::Terms terms{
        .deadline = deadline_, .client = entry_.caller().key, .priority = priority};
    auto task = std::make_unique<kinds::SimulationTask>(
        *plan_.question.simulation, context_.camel_up_chunk, terms, listener,
        [this](const camel_up::Odds& so_far) { return Watch(so_far); });
    const auto id = scheduler.Submit(kinds::kCamelUp, std::move(task));
    if (!id) {
      Refuse(Refused(id.error(), scheduler.options(kinds::kCamelUp).name));
    } else if (latch_.SubmittedCancelled(*id)) {
      scheduler.Cancel(*id);
    }
  }

  // Without a task, nothing else finishes the call.
  void Refuse(const grpc::Status& status) {
    const batching::MutexLock lock(mutex_);
    End(status);
  }

  bool Watch(const camel_up::Odds& so_far) {
    const steady_clock::time_point now = steady_clock::now();
    state_ = StateAfter(so_far, now);
    if (state_ != v1::SIMULATE_STATE_RUNNING) return false;
    if (now >= next_update_) {
      next_update_ = now + plan_.update_interval;
      const batching::MutexLock lock(mutex_);
      waiting_ = {so_far, state_};
      Advance();
    }
    return true;
  }

  v1::SimulateState StateAfter(const camel_up::Odds& so_far, steady_clock::time_point now) const {
    if (so_far.total == plan_.question.simulation->count) return v1::SIMULATE_STATE_DONE;
    if (plan_.target_error > 0 &&
        LargestError(plan_.question.outputs, so_far) <= plan_.target_error)
      return v1::SIMULATE_STATE_TARGET_REACHED;
    if (plan_.max_duration && now - started_ >= *plan_.max_duration)
      return v1::SIMULATE_STATE_TIME_IS_UP;
    return draining_ ? v1::SIMULATE_STATE_DRAINING : v1::SIMULATE_STATE_RUNNING;
  }

  void OnTaskFinished(kinds::CamelUpTask& task, batching::Outcome outcome) override {
    ++holds_;
    // When the server's time for it is over, what has been played is told all the same.
    if (outcome == batching::Outcome::kDraining) state_ = v1::SIMULATE_STATE_DRAINING;
    {
      const batching::MutexLock lock(mutex_);
      if (outcome == batching::Outcome::kAnswered || outcome == batching::Outcome::kDraining) {
        waiting_ = {task.TakeOdds().front(), state_};
        Advance();
      } else {
        waiting_.reset();
        End(NotAnswered(outcome, task.fault()));
      }
    }
    Release();
  }

  void OnWriteDone(bool ok) override {
    if (!ok) PassCancelOn();
    const batching::MutexLock lock(mutex_);
    writing_ = false;
    if (ending_) {
      End(*ending_);
    } else {
      Advance();
    }
  }

  void OnCancel() override {
    SeeWhatCameBefore();
    PassCancelOn();
  }

  // gRPC cancels at the caller's deadline too. That case is the scheduler's, which knows the deadline and
  // counts the task as expired; the slack is for the different clocks.
  void PassCancelOn() {
    constexpr milliseconds kSlack{5};
    if (steady_clock::now() + kSlack >= deadline_ || cancelled_.exchange(true)) return;
    if (const auto id = latch_.Cancel()) context_.scheduler.Cancel(*id);
  }

  // The next chunk is the last one.
  void EndSoon() override { draining_ = true; }

  void OnDone() override {
    SeeWhatCameBefore();
    context_.open_streams.Remove(*this);
    Release();
  }

  // Writes what waits, unless that has to wait for the write under way. Reactions never run inside, so the
  // lock may be held.
  void Advance() GPUSIM_REQUIRES(mutex_) {
    if (writing_ || !waiting_) return;
    writing_ = true;
    Fill(*waiting_);
    const bool last = waiting_->state != v1::SIMULATE_STATE_RUNNING;
    waiting_.reset();
    if (last) {
      entry_.End(grpc::Status::OK);
      StartWriteAndFinish(&response_, grpc::WriteOptions(), grpc::Status::OK);
    } else {
      StartWrite(&response_);
    }
  }

  void End(const grpc::Status& status) GPUSIM_REQUIRES(mutex_) {
    if (writing_) {
      ending_ = status;
    } else {
      entry_.End(status);
      Finish(status);
    }
  }

  void Fill(const Update& update) {
    response_.Clear();
    v1::GetOddsResponse& estimate = *response_.mutable_estimate();
    // A run that was stopped before its first chunk has nothing to estimate from.
    if (update.odds.total > 0) FillOddsResponse(plan_.question, update.odds, estimate);
    FillProvenance(plan_.question, context_.provenance, *estimate.mutable_provenance());
    response_.set_next_simulation(plan_.question.simulation->first + update.odds.total);
    response_.set_state(update.state);
    const auto elapsed = steady_clock::now() - started_;
    response_.set_elapsed_ms(
        static_cast<std::uint64_t>(std::chrono::duration_cast<milliseconds>(elapsed).count()));
  }

  void Release() {
    if (holds_.fetch_sub(1) == 1) delete this;
  }

  const ServingContext& context_;
  CallEntry entry_;
  const batching::TimePoint deadline_;
  const steady_clock::time_point started_ = steady_clock::now();
  SimulatePlan plan_;  // does not change once the task is submitted
  CancelLatch latch_;
  std::atomic<bool> cancelled_ = false;
  std::atomic<bool> draining_ = false;

  // Of the thread that runs the task's chunk or ends it.
  v1::SimulateState state_ = v1::SIMULATE_STATE_RUNNING;  // after the chunk
  steady_clock::time_point next_update_;

  batching::Mutex mutex_;
  std::optional<Update> waiting_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<grpc::Status> ending_ GPUSIM_GUARDED_BY(mutex_);  // once the write is done
  bool writing_ GPUSIM_GUARDED_BY(mutex_) = false;
  v1::SimulateResponse response_;  // gRPC's while a write is under way

  // gRPC's, which OnDone gives up, and one for a thread of the scheduler that is here.
  std::atomic<int> holds_ = 1;
};

}  // namespace

SimulateReactor* StartSimulate(const ServingContext& context, grpc::CallbackServerContext& call,
                               const v1::SimulateRequest& request) {
  auto* reactor = new SimulateCall(context, call);
  reactor->Begin(request);
  return reactor;
}

}  // namespace gpusim::server
