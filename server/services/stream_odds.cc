#include "server/services/stream_odds.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <deque>
#include <list>
#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/kinds/camel_up_kind.h"
#include "server/kinds/kinds.h"
#include "server/services/error_mapping.h"
#include "server/services/moves_call.h"
#include "server/services/odds_call.h"
#include "server/services/priority.h"
#include "server/services/unary_call.h"

namespace gpusim::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

// Unwritten at the most, before the stream stops reading: far fewer than a caller that goes by
// max_in_flight ever sees.
constexpr std::size_t kMostRefusals = 16;

class StreamOddsCall final : public StreamOddsReactor, private OpenStreams::Stream {
 public:
  StreamOddsCall(const ServingContext& context, grpc::CallbackServerContext& call)
      : context_(context),
        entry_(context.calls, CallMethod::kStreamOdds, call),
        call_(call),
        deadline_(OwnDeadlineOf(call)) {}

  // gRPC knows of the reactor afterwards only, so OnDone cannot come before.
  void Begin() {
    {
      const batching::MutexLock lock(mutex_);
      if (const auto& denial = entry_.denial()) {
        EndWith(Denied(*denial));
      } else {
        Outgoing& opened = outgoing_.emplace_back();
        opened.message.mutable_opened()->set_max_in_flight(
            static_cast<std::uint32_t>(context_.max_stream_items));
        Advance();
      }
    }
    context_.open_streams.Add(*this);
  }

 private:
  struct Outgoing {
    enum class Kind : std::uint8_t { kOpened, kAnswer, kRefusal };
    v1::StreamOddsResponse message;
    Kind kind = Kind::kOpened;
  };

  // A question in the scheduler, or on its way there.
  class Item final : public kinds::Listener<kinds::CamelUpTask> {
   public:
    Item(StreamOddsCall& stream, const v1::StreamOddsRequest& request)
        : call_(CallOf(request, stream.context_)), id_(request.id()), stream_(stream) {}

    // See OddsCall and MovesCall.
    tl::expected<std::unique_ptr<kinds::CamelUpTask>, grpc::Status> Convert(
        const v1::StreamOddsRequest& request, const batching::Terms& terms) {
      if (auto* odds = std::get_if<OddsCall>(&call_))
        return odds->Convert(request.odds(), terms, *this);
      return std::get<MovesCall>(call_).Convert(request.moves(), terms, *this);
    }
    void Take(kinds::CamelUpTask& task) {
      std::visit([&](auto& call) { call.Take(task); }, call_);
    }
    void Fill(v1::StreamItem& answer) const {
      if (const auto* odds = std::get_if<OddsCall>(&call_)) {
        odds->Fill(*answer.mutable_odds());
      } else {
        std::get<MovesCall>(call_).Fill(*answer.mutable_moves());
      }
    }
    void OnTaskFinished(kinds::CamelUpTask& task, batching::Outcome outcome) override {
      stream_.OnItemFinished(*this, task, outcome);
    }
    std::uint64_t id() const { return id_; }

    // Guarded by the stream's lock.
    std::list<Item>::iterator place;
    batching::TaskId task = 0;  // 0 while Submit has not returned
    bool ended = false;         // before that

   private:
    using Call = std::variant<OddsCall, MovesCall>;

    static Call CallOf(const v1::StreamOddsRequest& request, const ServingContext& context) {
      if (request.has_odds()) return OddsCall(context);
      return MovesCall(context);
    }

    Call call_;
    const std::uint64_t id_;
    StreamOddsCall& stream_;
  };

  // gRPC runs a reaction after everything that led to it, and orders them by locks of its own, which
  // ThreadSanitizer does not see. Ours it does.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  // The destructor belongs to Release.
  ~StreamOddsCall() override = default;

  void OnReadDone(bool ok) override {
    if (ok) {
      TakeItem();
    } else {
      const batching::MutexLock lock(mutex_);
      half_closed_ = true;
    }
    const batching::MutexLock lock(mutex_);
    reading_ = false;
    Advance();
  }

  void OnWriteDone(bool ok) override {
    {
      const batching::MutexLock lock(mutex_);
      if (outgoing_.front().kind == Outgoing::Kind::kRefusal) --refusals_;
      outgoing_.pop_front();
      writing_ = false;
    }
    if (!ok) Abandon();
    const batching::MutexLock lock(mutex_);
    Advance();
  }

  void OnCancel() override {
    Abandon();
    const batching::MutexLock lock(mutex_);
    Advance();
  }

  void OnDone() override {
    SeeWhatCameBefore();
    context_.open_streams.Remove(*this);
    Release();
  }

  void EndSoon() override {
    const batching::MutexLock lock(mutex_);
    draining_ = true;
    Advance();
  }

  // Nobody reads the answers any more: what is in flight is for nobody. At the stream's deadline, when
  // gRPC says so too, that is left to the scheduler, which knows that no item's deadline is later and
  // counts them as expired; the slack is for the different clocks.
  void Abandon() {
    constexpr milliseconds kSlack{5};
    std::vector<batching::TaskId> tasks;
    {
      const batching::MutexLock lock(mutex_);
      gone_ = true;
      DropUnwritten();
      for (const Item& item : items_) {
        if (item.task != 0) tasks.push_back(item.task);
      }
    }
    if (steady_clock::now() + kSlack >= deadline_) return;
    for (const batching::TaskId task : tasks) context_.scheduler.Cancel(task);
  }

  void TakeItem() {
    const v1::StreamOddsRequest& request = request_;
    {
      const batching::MutexLock lock(mutex_);
      if (over_ || gone_) return;
      if (in_flight_ >= context_.max_stream_items) {
        ++refusals_;
        Send(ErrorOf(request.id(), StreamFull(context_.max_stream_items)),
             Outgoing::Kind::kRefusal);
        return;
      }
      ++in_flight_;
    }
    if (request.question_case() == v1::StreamOddsRequest::QUESTION_NOT_SET) {
      const batching::MutexLock lock(mutex_);
      Send(ErrorOf(request.id(), BadInput({{"question", "", "one of odds and moves"}})),
           Outgoing::Kind::kAnswer);
      return;
    }
    const auto priority =
        request.has_odds() ? PriorityOf(request.odds()) : PriorityOf(request.moves());
    if (!priority) {
      const batching::MutexLock lock(mutex_);
      Send(ErrorOf(request.id(), BadInput(priority.error())), Outgoing::Kind::kAnswer);
      return;
    }
    Item& item = NewItem(request);
    auto task = item.Convert(request, {.deadline = DeadlineOfItem(request),
                                       .client = entry_.caller().key,
                                       .priority = *priority});
    if (!task) {
      EndUnsubmitted(item, task.error());
    } else if (*task == nullptr) {
      EndUnsubmitted(item, grpc::Status::OK);
    } else {
      Submit(item, std::move(*task));
    }
  }

  batching::TimePoint DeadlineOfItem(const v1::StreamOddsRequest& request) const {
    const milliseconds timeout =
        request.timeout_ms() > 0 ? milliseconds(request.timeout_ms()) : context_.default_deadline;
    return std::min(deadline_, steady_clock::now() + timeout);
  }

  Item& NewItem(const v1::StreamOddsRequest& request) {
    const batching::MutexLock lock(mutex_);
    Item& item = items_.emplace_back(*this, request);
    item.place = std::prev(items_.end());
    return item;
  }

  void EndUnsubmitted(Item& item, const grpc::Status& status) {
    v1::StreamOddsResponse message = AnswerOf(item, status);
    const batching::MutexLock lock(mutex_);
    items_.erase(item.place);
    Send(std::move(message), Outgoing::Kind::kAnswer);
  }

  void Submit(Item& item, std::unique_ptr<kinds::CamelUpTask> task) {
    batching::Scheduler& scheduler = context_.scheduler;
    const auto id = scheduler.Submit(kinds::kCamelUp, std::move(task));
    if (!id) {
      EndUnsubmitted(item, Refused(id.error(), scheduler.options(kinds::kCamelUp).name));
      return;
    }
    bool cancel = false;
    {
      const batching::MutexLock lock(mutex_);
      if (item.ended) {
        items_.erase(item.place);
      } else {
        item.task = *id;
        cancel = gone_;
      }
    }
    if (cancel) scheduler.Cancel(*id);
  }

  void OnItemFinished(Item& item, kinds::CamelUpTask& task, batching::Outcome outcome) {
    ++holds_;
    grpc::Status status;
    if (outcome == batching::Outcome::kAnswered) {
      item.Take(task);
    } else {
      status = NotAnswered(outcome, task.fault());
    }
    v1::StreamOddsResponse message = AnswerOf(item, status);
    {
      const batching::MutexLock lock(mutex_);
      if (item.task == 0) {
        item.ended = true;
      } else {
        items_.erase(item.place);
      }
      Send(std::move(message), Outgoing::Kind::kAnswer);
      Advance();
    }
    Release();
  }

  static v1::StreamOddsResponse AnswerOf(const Item& item, const grpc::Status& status) {
    if (!status.ok()) return ErrorOf(item.id(), status);
    v1::StreamOddsResponse message;
    message.mutable_item()->set_id(item.id());
    item.Fill(*message.mutable_item());
    return message;
  }

  static v1::StreamOddsResponse ErrorOf(std::uint64_t id, const grpc::Status& status) {
    v1::StreamOddsResponse message;
    message.mutable_item()->set_id(id);
    *message.mutable_item()->mutable_error() = RpcStatusOf(status);
    return message;
  }

  // For Advance, which has to follow.
  void Send(v1::StreamOddsResponse message, Outgoing::Kind kind) GPUSIM_REQUIRES(mutex_) {
    outgoing_.push_back({std::move(message), kind});
    if (gone_) DropUnwritten();
  }

  void DropUnwritten() GPUSIM_REQUIRES(mutex_) {
    // The front is gRPC's while it is written.
    while (outgoing_.size() > (writing_ ? 1u : 0u)) {
      if (outgoing_.back().kind == Outgoing::Kind::kAnswer) --in_flight_;
      if (outgoing_.back().kind == Outgoing::Kind::kRefusal) --refusals_;
      outgoing_.pop_back();
    }
  }

  // Starts what can be done now. Reactions never run inside, so the lock may be held.
  void Advance() GPUSIM_REQUIRES(mutex_) {
    if (over_) return;
    if (!writing_ && !outgoing_.empty()) {
      writing_ = true;
      if (outgoing_.front().kind == Outgoing::Kind::kAnswer) --in_flight_;
      StartWrite(&outgoing_.front().message);
    }
    const bool reads = !half_closed_ && !draining_ && !gone_;
    if (reads && !reading_ && refusals_ < kMostRefusals) {
      reading_ = true;
      StartRead(&request_);
    }
    if (!reads && !writing_ && outgoing_.empty() && in_flight_ == 0 && items_.empty()) End();
  }

  void End() GPUSIM_REQUIRES(mutex_) {
    if (!gone_ && !half_closed_) call_.AddTrailingMetadata(kReopenTrailer, "1");
    EndWith(gone_ ? NotAnswered(entry_.Gone(), "") : grpc::Status::OK);
  }

  void EndWith(const grpc::Status& status) GPUSIM_REQUIRES(mutex_) {
    over_ = true;
    entry_.End(status);
    Finish(status);
  }

  void Release() {
    if (holds_.fetch_sub(1) == 1) delete this;
  }

  const ServingContext& context_;
  CallEntry entry_;
  grpc::CallbackServerContext& call_;
  const batching::TimePoint deadline_;

  v1::StreamOddsRequest request_;  // of the reader: gRPC, then OnReadDone

  batching::Mutex mutex_;
  std::list<Item> items_ GPUSIM_GUARDED_BY(mutex_);          // see invariant 3
  std::deque<Outgoing> outgoing_ GPUSIM_GUARDED_BY(mutex_);  // the front may be under way
  // Read, and the write of their answer has not begun.
  std::uint64_t in_flight_ GPUSIM_GUARDED_BY(mutex_) = 0;
  std::size_t refusals_ GPUSIM_GUARDED_BY(mutex_) = 0;  // in `outgoing_`
  bool reading_ GPUSIM_GUARDED_BY(mutex_) = false;      // or working on what was read
  bool writing_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool half_closed_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool draining_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool gone_ GPUSIM_GUARDED_BY(mutex_) = false;  // the caller
  bool over_ GPUSIM_GUARDED_BY(mutex_) = false;  // Finish was called

  // gRPC's, which OnDone gives up, and one for each thread of the scheduler that is here.
  std::atomic<int> holds_ = 1;
};

}  // namespace

StreamOddsReactor* StartStreamOdds(const ServingContext& context,
                                   grpc::CallbackServerContext& call) {
  auto* reactor = new StreamOddsCall(context, call);
  reactor->Begin();
  return reactor;
}

}  // namespace gpusim::server
