// CreateBoard: where the cells come from, and how they get on the board before anybody sees it.
#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/formats/read_pattern.h"
#include "kernels/formats/rule_string.h"
#include "server/services/board_calls.h"
#include "server/services/board_creator.h"
#include "server/services/board_owner.h"
#include "server/services/board_plan.h"
#include "server/services/board_stamp.h"
#include "server/services/board_upload.h"

namespace gpusim::server {
namespace {

using boards::Result;
using Gone = std::function<bool()>;

// What the header says, taken apart.
struct CreatePlan {
  BoardPlan board;
  std::uint64_t seed = 0;
  std::uint64_t threshold = 0;
};

void ReadShape(const v1::CreateBoardHeader& header, BoardWishes& wishes, Violations& violations) {
  if (!header.rule().empty()) {
    const auto rule = formats::ParseRule(header.rule());
    if (rule) {
      wishes.rule = *rule;
    } else {
      violations.push_back(rule.error().ToViolation("rule"));
    }
  }
  if (header.topology().empty()) return;
  const auto grid = formats::ParseTopology(header.topology());
  if (!grid) {
    violations.push_back(grid.error().ToViolation("topology"));
  } else if (!*grid) {
    violations.push_back({"topology", header.topology(),
                          "a board stays within a size, such as torus:1024x1024 or "
                          "plane:100x100; Step takes plane:auto"});
  } else {
    wishes.grid = **grid;
  }
}

void ReadSource(v1::CreateBoardHeader& header, CreatePlan& plan, BoardWishes& wishes,
                Violations& violations) {
  switch (header.source_case()) {
    case v1::CreateBoardHeader::kPattern: {
      auto pattern = formats::ReadPattern(header.pattern());
      if (pattern) {
        wishes.source = *std::move(pattern);
      } else {
        violations.push_back(pattern.error().ToViolation("pattern"));
      }
      break;
    }
    case v1::CreateBoardHeader::kPacked:
      if (auto board = ReadPacked(header.packed(), violations)) wishes.source = *std::move(board);
      break;
    case v1::CreateBoardHeader::kRandom:
      plan.seed = header.random().seed();
      plan.threshold = ThresholdOf(header.random(), "random", violations);
      break;
    case v1::CreateBoardHeader::kStreamed:
      if (!header.streamed()) violations.push_back({"streamed", "false", "true, or leave it out"});
      break;
    case v1::CreateBoardHeader::SOURCE_NOT_SET:
      break;
  }
}

tl::expected<CreatePlan, Violations> PlanOf(v1::CreateBoardHeader& header) {
  CreatePlan plan;
  BoardWishes wishes;
  Violations violations;
  ReadShape(header, wishes, violations);
  ReadSource(header, plan, wishes, violations);
  if (header.has_at()) wishes.at = formats::Cell{header.at().x(), header.at().y()};
  wishes.generation = header.generation();
  if (!violations.empty()) return tl::unexpected(std::move(violations));
  auto board = PlanBoard(std::move(wishes));
  if (!board) return tl::unexpected(std::move(board.error()));
  plan.board = *std::move(board);
  return plan;
}

class CreateMethod {
 public:
  using Request = v1::CreateBoardRequest;
  using Header = v1::CreateBoardHeader;
  using Response = v1::CreateBoardResponse;
  static constexpr CallMethod kMethod = CallMethod::kCreateBoard;

  CreateMethod(const ServingContext& context, const Caller& caller)
      : context_(context), caller_(caller) {}

  static bool Streamed(const Header& header) {
    return header.source_case() == v1::CreateBoardHeader::kStreamed;
  }

  StatusOr<RowBands> Open(Header& header) {
    auto plan = PlanOf(header);
    if (!plan) return tl::unexpected(BadInput(plan.error()));
    plan_ = *std::move(plan);
    streamed_ = Streamed(header);
    const boards::BoardShape& shape = plan_.board.shape;
    if (streamed_) {
      if (const auto fault = RowBands::WidthFault(shape.width, "topology"))
        return tl::unexpected(BadInput({*fault}));
    }
    auto board = context_.boards.Create(
        {.id = header.name(),
         .shape = shape,
         .generation = plan_.board.generation,
         .lease = SecondsOf(header.has_lease_s(), header.lease_s()),
         .autosave_every = SecondsOf(header.has_autosave_every_s(), header.autosave_every_s()),
         .creator = CreatorNameOf(caller_)});
    if (!board) return tl::unexpected(BoardFailed(board.error()));
    board_ = *std::move(board);
    return streamed_ ? RowBands(shape.width, shape.height) : RowBands(0, 0);
  }

  Result<void> Store(std::uint32_t y, const life::Board& rows) {
    return board_->WriteRows(y, rows.words);
  }

  // `done` keeps this method alive.
  void Apply(const Gone& gone, const std::function<void(StatusOr<Response>)>& done) {
    if (streamed_) return Publish(gone, done);
    board_->Fill(plan_.seed, plan_.threshold, [this, gone, done](const Result<void>& filled) {
      if (!filled) return done(tl::unexpected(BoardFailed(filled.error())));
      // Not here, where the device's thread is.
      context_.conversions.Post([this, gone, done] {
        plan_.board.laid.stamp != nullptr ? LayBands(gone, done) : Publish(gone, done);
      });
    });
  }

  void Close() { board_.reset(); }
  static void Cancel() {}

 private:
  // A band of whole rows at a time; those without a cell of the stamp are dead already.
  void LayBands(const Gone& gone, const std::function<void(StatusOr<Response>)>& done) {
    PostPieces(context_.conversions, [this, gone, done] {
      const auto laid = LayBand();
      if (!laid) {
        done(tl::unexpected(BoardFailed(laid.error())));
        return false;
      }
      if (below_ < plan_.board.laid.stamp->height() && !gone()) return true;
      Publish(gone, done);
      return false;
    });
  }

  Result<void> LayBand() {
    const boards::BoardShape& shape = plan_.board.shape;
    const LaidStamp& laid = plan_.board.laid;
    // On a torus the stamp may go on at the top.
    const auto y = static_cast<std::uint32_t>((static_cast<std::uint64_t>(laid.corner.y) + below_) %
                                              shape.height);
    const std::uint64_t row_words = life::WordsPerRow(shape.width);
    const std::uint32_t rows = std::min({RowsOfBand(row_words * sizeof(std::uint64_t)),
                                         laid.stamp->height() - below_, shape.height - y});
    std::vector<std::uint64_t> words(rows * row_words);
    if (auto made = LayStamp(*laid.stamp, laid.corner, shape, y, rows, words); !made) return made;
    below_ += rows;
    return board_->WriteRows(y, words);
  }

  void Publish(const Gone& gone, const std::function<void(StatusOr<Response>)>& done) {
    if (gone()) return done(tl::unexpected(NotAnswered(batching::Outcome::kCancelled, "")));
    const auto status = board_->Publish();
    if (!status) return done(tl::unexpected(BoardFailed(status.error())));
    Response response;
    FillBoard(*status, OwnerOf(context_), *response.mutable_board());
    for (std::string& note : plan_.board.notes) response.add_notes(std::move(note));
    done(std::move(response));
  }

  const ServingContext& context_;
  const Caller& caller_;
  CreatePlan plan_;
  bool streamed_ = false;
  std::unique_ptr<boards::NewBoard> board_;
  std::uint32_t below_ = 0;  // rows of the stamp that are laid
};

}  // namespace

grpc::ServerReadReactor<v1::CreateBoardRequest>* StartCreateBoard(
    const ServingContext& context, grpc::CallbackServerContext& call,
    v1::CreateBoardResponse& response) {
  return Upload<CreateMethod>::Start(context, call, response);
}

}  // namespace gpusim::server
