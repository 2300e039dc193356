// WriteRegion: what is stamped, and where.
#include <memory>
#include <utility>

#include "kernels/formats/read_pattern.h"
#include "server/batching/mutex.h"
#include "server/services/board_calls.h"
#include "server/services/board_creator.h"
#include "server/services/board_owner.h"
#include "server/services/board_plan.h"
#include "server/services/board_stamp.h"
#include "server/services/board_upload.h"

namespace gpusim::server {
namespace {

using boards::Result;

boards::WriteMode ModeOf(const v1::WriteRegionHeader& header, Violations& violations) {
  switch (header.mode()) {
    case v1::WRITE_MODE_UNSPECIFIED:
      return header.has_pattern() ? boards::WriteMode::kOr : boards::WriteMode::kCopy;
    case v1::WRITE_MODE_OR:
      return boards::WriteMode::kOr;
    case v1::WRITE_MODE_COPY:
      return boards::WriteMode::kCopy;
    case v1::WRITE_MODE_XOR:
      return boards::WriteMode::kXor;
    default:
      violations.push_back({"mode", std::to_string(header.mode()),
                            "one of WRITE_MODE_UNSPECIFIED, _OR, _COPY and _XOR"});
      return boards::WriteMode::kOr;
  }
}

// A pattern or a board; nothing for the other sources.
CellSource ReadSource(const v1::WriteRegionHeader& header, Violations& violations) {
  if (header.has_pattern()) {
    auto pattern = formats::ReadPattern(header.pattern());
    if (pattern) return *std::move(pattern);
    violations.push_back(pattern.error().ToViolation("pattern"));
  } else if (header.has_packed()) {
    if (auto board = ReadPacked(header.packed(), violations)) return *std::move(board);
  }
  return {};
}

void CheckStreamed(const v1::StreamedStamp& streamed, Violations& violations) {
  if (streamed.width() == 0)
    violations.push_back({"streamed.width", "0", "a stamp is at least one cell wide"});
  if (streamed.height() == 0)
    violations.push_back({"streamed.height", "0", "a stamp is at least one cell high"});
  if (auto fault = RowBands::WidthFault(streamed.width(), "streamed.width"))
    violations.push_back(*std::move(fault));
}

class WriteMethod {
 public:
  using Request = v1::WriteRegionRequest;
  using Header = v1::WriteRegionHeader;
  using Response = v1::WriteRegionResponse;
  static constexpr CallMethod kMethod = CallMethod::kWriteRegion;

  WriteMethod(const ServingContext& context, const Caller& caller)
      : context_(context), caller_(caller) {}

  static bool Streamed(const Header& header) { return header.has_streamed(); }

  StatusOr<RowBands> Open(const Header& header) {
    if (auto other = BoardOfAnother(context_, caller_, header.name()))
      return tl::unexpected(*std::move(other));
    Violations violations;
    wishes_.mode = ModeOf(header, violations);
    CellSource source = ReadSource(header, violations);
    if (header.has_streamed()) CheckStreamed(header.streamed(), violations);
    if (header.has_random()) {
      wishes_.seed = header.random().seed();
      wishes_.threshold = ThresholdOf(header.random(), "random", violations);
    }
    if (header.source_case() == Header::kClear && !header.clear())
      violations.push_back({"clear", "false", "true, or leave it out"});
    if (header.source_case() == Header::SOURCE_NOT_SET)
      violations.push_back({"source", "", "one of pattern, packed, streamed, clear and random"});
    if (!violations.empty()) return tl::unexpected(BadInput(violations));

    name_ = header.name();
    if (header.has_if_generation()) wishes_.if_generation = header.if_generation();
    wishes_.queue = header.queue();
    return Place(header, std::move(source));
  }

  Result<void> Store(std::uint32_t /*y*/, const life::Board& rows) {
    return staged_->Append(rows.words);
  }

  void Apply(const std::function<bool()>& gone,
             const std::function<void(StatusOr<Response>)>& done) {
    if (gone()) return done(tl::unexpected(NotAnswered(batching::Outcome::kCancelled, "")));
    context_.boards.Write(name_, wishes_, [this, done](const Result<boards::BoardStatus>& status) {
      if (!status) return done(tl::unexpected(BoardFailed(status.error())));
      Response response;
      FillBoard(*status, OwnerOf(context_), *response.mutable_board());
      for (std::string& note : notes_) response.add_notes(std::move(note));
      done(std::move(response));
    });
  }

  void Close() GPUSIM_EXCLUDES(mutex_) {
    staged_.reset();
    wishes_.stamp.reset();
  }

  void Cancel() GPUSIM_EXCLUDES(mutex_) {
    const batching::MutexLock lock(mutex_);
    if (revocable_ != nullptr) revocable_->Revoke();
  }

 private:
  StatusOr<RowBands> Place(const Header& header, CellSource source) {
    const auto status = context_.boards.Get(name_);
    if (!status) return tl::unexpected(BoardFailed(status.error()));
    std::optional<formats::Cell> at;
    if (header.has_at()) at = formats::Cell{header.at().x(), header.at().y()};
    if (header.has_streamed()) return PlaceStreamed(header.streamed(), status->shape, at);
    if (header.has_pattern() || header.has_packed()) {
      auto plan =
          PlanWrite(std::move(source), status->shape, at, wishes_.mode == boards::WriteMode::kCopy);
      if (!plan) return tl::unexpected(BadInput(plan.error()));
      notes_ = std::move(plan->notes);
      Use(std::move(plan->laid));
    }
    return RowBands(0, 0);
  }

  StatusOr<RowBands> PlaceStreamed(const v1::StreamedStamp& streamed,
                                   const boards::BoardShape& shape,
                                   const std::optional<formats::Cell>& at) {
    const auto corner = PlaceStamp(shape, streamed.width(), streamed.height(),
                                   at.value_or(Centre(shape, streamed.width(), streamed.height())),
                                   "streamed", "at");
    if (!corner) return tl::unexpected(BadInput({corner.error()}));
    auto staged = context_.boards.StageRows(name_, streamed.width(), streamed.height());
    if (!staged) return tl::unexpected(BoardFailed(staged.error()));
    staged_ = *std::move(staged);
    Use({staged_, *corner});
    return RowBands(streamed.width(), streamed.height());
  }

  void Use(LaidStamp laid) GPUSIM_EXCLUDES(mutex_) {
    if (laid.stamp == nullptr) {
      // No cell comes to life or turns over; a write all the same, in its place among the others.
      laid.stamp = std::make_shared<BoardStamp>(life::Board::Empty(1, 1));
      wishes_.mode = boards::WriteMode::kOr;
    }
    wishes_.x = laid.corner.x;
    wishes_.y = laid.corner.y;
    const batching::MutexLock lock(mutex_);
    revocable_ = std::make_shared<RevocableStamp>(std::move(laid.stamp));
    wishes_.stamp = revocable_;
  }

  const ServingContext& context_;
  const Caller& caller_;
  std::string name_;
  boards::BoardStore::WriteWishes wishes_;
  std::shared_ptr<boards::StagedRows> staged_;
  std::vector<std::string> notes_;

  batching::Mutex mutex_;
  std::shared_ptr<RevocableStamp> revocable_ GPUSIM_GUARDED_BY(mutex_);
};

}  // namespace

grpc::ServerReadReactor<v1::WriteRegionRequest>* StartWriteRegion(
    const ServingContext& context, grpc::CallbackServerContext& call,
    v1::WriteRegionResponse& response) {
  return Upload<WriteMethod>::Start(context, call, response);
}

}  // namespace gpusim::server
