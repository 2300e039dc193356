// WatchBoard: pictures of a board while it changes.
//
//   alarm       Look: has it changed? --> Pin and facts --> pool: picture --> write
//               once a frame's time, at least every kLongestWait
//
// Invariants:
//   1. At most one picture is in the making or under way; a frame that falls due meanwhile is skipped, and counted where
//      the reader is why. So a slow reader costs the board nothing but one pin for the time of making a picture.
//   2. One write at a time, and one Finish, after which none comes. They are started under the lock.
#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include <grpcpp/alarm.h>

#include "server/batching/mutex.h"
#include "server/calls/call_entry.h"
#include "server/services/board_call.h"
#include "server/services/board_calls.h"
#include "server/services/board_cells.h"
#include "server/services/board_owner.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

using boards::Result;
using formats::Region;
using std::chrono::steady_clock;
using WatchReactor = grpc::ServerWriteReactor<v1::WatchBoardResponse>;

constexpr std::uint64_t kMostFrameBytes = 4u << 20;
constexpr std::uint32_t kMostDensityCell = 65'536;
constexpr double kDefaultRate = 10;
// A board that is deleted is missed after this.
constexpr std::chrono::milliseconds kLongestWait{250};

struct WatchPlan {
  Region region;
  std::uint32_t density_cell = 0;  // 0: cells themselves
  life::FactSet facts = 0;
  steady_clock::duration interval{};
  std::optional<std::uint64_t> seen_generation;
};

std::uint64_t FrameBytes(const WatchPlan& plan) {
  if (plan.density_cell == 0) return PackedBytes(plan.region.width, plan.region.height);
  const DensityPicture picture(plan.region, plan.density_cell);
  return std::uint64_t{picture.columns()} * picture.rows();
}

// The smallest side of squares with which the frame fits.
std::uint32_t FittingCell(WatchPlan plan) {
  plan.density_cell = 2;
  while (plan.density_cell < kMostDensityCell && FrameBytes(plan) > kMostFrameBytes)
    plan.density_cell *= 2;
  return plan.density_cell;
}

WatchPlan PlanOf(const v1::WatchBoardRequest& request, const boards::BoardShape& shape,
                 Violations& violations) {
  WatchPlan plan;
  plan.facts = ReadFactsOfMany(request.facts(), violations);
  const double rate = request.frames_per_second() == 0 ? kDefaultRate : request.frames_per_second();
  if (!(rate >= 0.01 && rate <= 120)) {
    violations.push_back({"frames_per_second", std::to_string(rate), "0.01 to 120, or 0 for 10"});
  } else {
    plan.interval =
        std::chrono::duration_cast<steady_clock::duration>(std::chrono::duration<double>(1 / rate));
  }
  if (request.has_after_generation()) plan.seen_generation = request.after_generation();
  if (request.density_cell() > kMostDensityCell)
    violations.push_back({"density_cell", std::to_string(request.density_cell()),
                          "at most " + std::to_string(kMostDensityCell)});
  const auto region = ReadRegion(request.has_region(), request.region(), shape, violations);
  if (!region || !violations.empty()) return plan;
  plan.region = *region;
  if (request.density_cell() > 1) plan.density_cell = request.density_cell();
  if (const std::uint64_t bytes = FrameBytes(plan); bytes > kMostFrameBytes)
    violations.push_back({"density_cell", std::to_string(request.density_cell()),
                          "a frame would have " + std::to_string(bytes) +
                              " bytes, more than 4 MiB; a density_cell of " +
                              std::to_string(FittingCell(plan)) + " fits"});
  return plan;
}

class WatchBoardCall final : public WatchReactor,
                             private OpenStreams::Stream,
                             public std::enable_shared_from_this<WatchBoardCall> {
 public:
  static WatchReactor* Start(const ServingContext& context, grpc::CallbackServerContext& call,
                             const v1::WatchBoardRequest& request) {
    const auto reactor = std::make_shared<WatchBoardCall>(context, call, request);
    reactor->grpcs_hold_ = reactor;
    reactor->Begin();
    return reactor.get();
  }

  WatchBoardCall(const ServingContext& context, grpc::CallbackServerContext& call,
                 const v1::WatchBoardRequest& request)
      : context_(context), request_(request) {
    entry_.emplace(context.calls, CallMethod::kWatchBoard, call);
  }

 private:
  void Begin() {
    SeeWhatCameBefore();
    context_.open_streams.Add(*this);
    if (const auto& denial = entry_->denial()) return End(Denied(*denial));
    const auto status = context_.boards.Get(request_.name());
    if (!status) return End(BoardFailed(status.error()));
    Violations violations;
    plan_ = PlanOf(request_, status->shape, violations);
    if (!violations.empty()) return End(BadInput(violations));
    auto hold = context_.boards.HoldLease(request_.name());
    if (!hold) return End(BoardFailed(hold.error()));
    lease_ = *std::move(hold);
    next_frame_ = steady_clock::now();
    Look();
  }

  // Of Begin, then of the alarm.
  void Look() {
    const auto status = context_.boards.Get(request_.name());
    if (!status) return End(BoardFailed(status.error()));
    if (steady_clock::now() >= next_frame_ && IsNews(*status)) LookAtFrame(*status);
    SetAlarm();
  }

  bool IsNews(const boards::BoardStatus& status) const {
    if (plan_.seen_generation) return status.generation != *plan_.seen_generation;
    return status.version != seen_version_;
  }

  void LookAtFrame(const boards::BoardStatus& status) GPUSIM_EXCLUDES(mutex_) {
    next_frame_ = std::max(next_frame_ + plan_.interval, steady_clock::now());
    {
      const batching::MutexLock lock(mutex_);
      if (finished_ || making_) return;
      if (writing_) {
        if (std::exchange(skipped_version_, status.version) != status.version) ++skipped_;
        return;
      }
      making_ = true;
    }
    plan_.seen_generation.reset();
    seen_version_ = status.version;
    const double rate = status.run ? status.run->generations_per_second : 0;
    const auto self = shared_from_this();
    PinWithFacts(context_.boards, request_.name(), plan_.facts,
                 [self, rate](const Result<PinnedFacts>& pinned) {
                   if (!pinned) return self->End(BoardFailed(pinned.error()));
                   self->MakeFrame(*pinned, rate);
                 });
  }

  void MakeFrame(const PinnedFacts& pinned, double rate) {
    const auto self = shared_from_this();
    const auto frame = std::make_shared<v1::WatchBoardResponse>();
    FillFacts(pinned.facts, plan_.facts, *frame->mutable_facts());
    frame->set_generations_per_second(rate);
    if (plan_.density_cell != 0) return MakeDensity(frame, pinned.board.cells);
    context_.conversions.Post([self, frame, cells = pinned.board.cells] {
      const auto board = ReadCells(*cells, self->plan_.region);
      if (!board) return self->End(BoardFailed(board.error()));
      v1::PackedBoard& packed = *frame->mutable_packed();
      packed.set_width(board->width);
      packed.set_height(board->height);
      packed.set_rows(PackRows(*board));
      self->Write(*frame);
    });
  }

  void MakeDensity(const std::shared_ptr<v1::WatchBoardResponse>& frame,
                   const std::shared_ptr<const life::DeviceCells>& cells) {
    const auto self = shared_from_this();
    const auto picture = std::make_shared<DensityPicture>(plan_.region, plan_.density_cell);
    PostPieces(context_.conversions, [self, frame, cells, picture] {
      const auto more = picture->MakeBand(*cells);
      if (!more) {
        self->End(BoardFailed(more.error()));
        return false;
      }
      if (*more) return true;
      v1::DensityFrame& density = *frame->mutable_density();
      density.set_columns(picture->columns());
      density.set_rows(picture->rows());
      density.set_density(picture->Take());
      self->Write(*frame);
      return false;
    });
  }

  void Write(v1::WatchBoardResponse& frame) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    making_ = false;
    if (finished_ || ending_) return;
    frame.set_skipped(std::exchange(skipped_, 0));
    response_.Swap(&frame);
    writing_ = true;
    StartWrite(&response_);
  }

  void SetAlarm() GPUSIM_EXCLUDES(mutex_) {
    const auto wait = std::clamp<steady_clock::duration>(
        next_frame_ - steady_clock::now(), std::chrono::milliseconds(1), kLongestWait);
    const auto self = shared_from_this();
    const batching::MutexLock lock(mutex_);
    if (ending_) return;
    // Another one each time: Set would replace the function that it may be called from.
    alarm_.emplace().Set(std::chrono::system_clock::now() +
                             std::chrono::duration_cast<std::chrono::system_clock::duration>(wait),
                         [self](bool /*fired*/) { self->OnAlarm(); });
  }

  void OnAlarm() {
    {
      const batching::MutexLock lock(mutex_);
      if (ending_) return;
    }
    Look();
  }

  // Once; what comes later has no say.
  void End(const grpc::Status& status) GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (ending_) return;
    ending_ = status;
    if (alarm_) alarm_->Cancel();
    FinishIfIdle();
  }

  void FinishIfIdle() GPUSIM_REQUIRES(mutex_) {
    if (!ending_ || writing_ || finished_) return;
    finished_ = true;
    entry_->End(*ending_);
    Finish(*ending_);
  }

  void OnWriteDone(bool /*ok*/) override {
    const batching::MutexLock lock(mutex_);
    writing_ = false;
    FinishIfIdle();
  }

  void EndSoon() override { End(grpc::Status::OK); }

  void OnCancel() override {
    SeeWhatCameBefore();
    End(NotAnswered(entry_->Gone(), ""));
  }

  // See simulate.cc.
  void SeeWhatCameBefore() GPUSIM_EXCLUDES(mutex_) { const batching::MutexLock lock(mutex_); }

  void OnDone() override {
    {
      const batching::MutexLock lock(mutex_);
      alarm_.reset();  // which holds us
      lease_.reset();
    }
    context_.open_streams.Remove(*this);
    entry_.reset();
    const auto last = std::move(grpcs_hold_);
  }

  const ServingContext& context_;
  const v1::WatchBoardRequest request_;
  std::shared_ptr<WatchBoardCall> grpcs_hold_;
  std::unique_ptr<boards::LeaseHold> lease_;

  // Of Begin, then of the alarm.
  WatchPlan plan_;
  std::optional<std::uint64_t> seen_version_;
  std::optional<std::uint64_t> skipped_version_;
  steady_clock::time_point next_frame_;

  std::optional<CallEntry> entry_;  // until OnDone

  batching::Mutex mutex_;
  std::optional<grpc::Alarm> alarm_ GPUSIM_GUARDED_BY(mutex_);
  std::optional<grpc::Status> ending_ GPUSIM_GUARDED_BY(mutex_);
  std::uint64_t skipped_ GPUSIM_GUARDED_BY(mutex_) = 0;
  bool making_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool writing_ GPUSIM_GUARDED_BY(mutex_) = false;
  bool finished_ GPUSIM_GUARDED_BY(mutex_) = false;
  v1::WatchBoardResponse response_;  // gRPC's while a write is under way
};

}  // namespace

WatchReactor* StartWatchBoard(const ServingContext& context, grpc::CallbackServerContext& call,
                              const v1::WatchBoardRequest& request) {
  return WatchBoardCall::Start(context, call, request);
}

}  // namespace gpusim::server
