#include "server/services/step_many.h"

#include <span>
#include <string>
#include <utility>

#include "server/services/camel_up_names.h"
#include "server/services/error_mapping.h"
#include "server/services/life_convert.h"
#include "server/services/step_response.h"

namespace gpusim::server {
namespace {

constexpr std::uint64_t kItemFrame = 12;  // of a result and its outcome
// Of an item whose board turned out to be too large, which is known only then.
constexpr std::uint64_t kTooLargeBytes = 1024;

Violations Within(const std::string& prefix, Violations violations) {
  for (Violation& violation : violations) violation.field.insert(0, prefix);
  return violations;
}

std::string ItemPrefix(std::size_t i) { return Element("boards", static_cast<int>(i)) + "."; }

}  // namespace

tl::expected<std::unique_ptr<kinds::LifeTask>, grpc::Status> StepManyCall::Convert(
    const v1::StepManyRequest& request, const batching::Terms& terms,
    kinds::Listener<kinds::LifeTask>& listener) {
  const auto boards = static_cast<std::uint64_t>(request.boards_size());
  if (boards > kMaxBoards || (boards == 0 && !request.has_uniform()))
    return tl::unexpected(
        BadInput({{"boards", std::to_string(boards) + " boards",
                   "1 to " + std::to_string(kMaxBoards) + " a call, with those of uniform"}}));
  known_bytes_ = kProvenanceBytes;
  if (auto fault = ReadBoards(request)) return tl::unexpected(BadInput({*std::move(fault)}));
  if (auto faults = ReadUniform(request); !faults.empty())
    return tl::unexpected(BadInput(Within("uniform.", std::move(faults))));
  board_bytes_left_ = context_.max_reply_bytes - known_bytes_;
  if (runs_.empty()) return nullptr;
  return std::make_unique<kinds::LifeTask>(std::move(runs_), context_.life_chunk, terms, listener);
}

// What is wrong with all of them together is told as soon as it is, before more memory is taken.
std::optional<Violation> StepManyCall::ReadBoards(const v1::StepManyRequest& request) {
  const StepLimits limits{.max_step_cells = context_.max_step_cells,
                          .max_reply_bytes = context_.max_reply_bytes};
  for (const v1::StepRequest& board : request.boards()) {
    const std::size_t i = items_.size();
    const std::string number = std::to_string(i + 1) + " boards";
    auto plan = PlanOf(board, limits);
    known_bytes_ += kItemFrame;
    if (plan) {
      cells_ += plan->run.words() * life::kCellsPerWord;
      known_bytes_ += KnownResponseBytes(*plan, board.output_format()) +
                      (BoardSizeIsUnknown(*plan, board.output_format()) ? kTooLargeBytes : 0);
      runs_.push_back(std::move(plan->run));
      items_.emplace_back(Item{*std::move(plan), board.output_format()});
    } else {
      items_.emplace_back(tl::unexpect, BadInput(Within(ItemPrefix(i), std::move(plan.error()))));
      known_bytes_ += RpcStatusOf(items_.back().error()).ByteSizeLong();
    }
    if (cells_ > context_.max_call_cells)
      return Violation{"boards", number,
                       std::to_string(cells_) +
                           " cells with rows padded to 64; all boards of a call together have at "
                           "most max-call-cells, " +
                           std::to_string(context_.max_call_cells)};
    if (known_bytes_ > context_.max_reply_bytes)
      return Violation{"boards", number,
                       "the reply might pass max-reply-bytes, " +
                           std::to_string(context_.max_reply_bytes) + ": ask in several calls"};
  }
  return std::nullopt;
}

Violations StepManyCall::ReadUniform(const v1::StepManyRequest& request) {
  if (!request.has_uniform()) return {};
  const UniformLimits limits{.max_step_cells = context_.max_step_cells,
                             .max_cells = context_.max_call_cells - cells_,
                             .max_call_cells = context_.max_call_cells,
                             .max_boards = kMaxBoards - items_.size()};
  auto plan = UniformPlanOf(request.uniform(), limits, runs_);
  if (!plan) return std::move(plan.error());
  uniform_ = *plan;
  known_bytes_ += plan->reply_bytes();
  if (known_bytes_ <= context_.max_reply_bytes) return {};
  return {{"count", std::to_string(plan->count),
           "the reply has " + std::to_string(known_bytes_) + " bytes, max-reply-bytes is " +
               std::to_string(context_.max_reply_bytes) + "; ask for fewer boards or facts"}};
}

void StepManyCall::Take(kinds::LifeTask& task) {
  answers_.resize(task.runs());
  for (std::size_t i = 0; i < answers_.size(); ++i) answers_[i] = task.TakeAnswer(i);
}

std::uint64_t StepManyCall::answered_words() const {
  std::uint64_t words = 0;
  for (const kinds::LifeAnswer& answer : answers_) words += answer.board.words.size();
  return words;
}

std::uint64_t StepManyCall::series_rows() const {
  std::uint64_t rows = 0;
  for (const kinds::LifeAnswer& answer : answers_) rows += answer.series.size();
  return rows;
}

void StepManyCall::Fill(v1::StepManyResponse& response) {
  std::size_t answered = 0;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    v1::StepManyResult& result = *response.add_results();
    if (items_[i]) {
      FillItem(i, answers_[answered++], result);
    } else {
      *result.mutable_error() = RpcStatusOf(items_[i].error());
    }
  }
  if (uniform_)
    FillUniform(*uniform_, std::span<const kinds::LifeAnswer>(answers_).subspan(answered),
                *response.mutable_uniform());
  *response.mutable_provenance() = context_.provenance;
}

void StepManyCall::FillItem(std::size_t i, kinds::LifeAnswer& answer, v1::StepManyResult& result) {
  Item& item = *items_[i];
  const bool unknown = BoardSizeIsUnknown(item.plan, item.format);
  const auto filled =
      FillStepResponse({std::move(item.plan), std::move(answer), item.format}, board_bytes_left_,
                       context_.max_reply_bytes, *result.mutable_step());
  if (!filled) {
    *result.mutable_error() = RpcStatusOf(BadInput(Within(ItemPrefix(i), filled.error())));
  } else if (unknown) {
    board_bytes_left_ -= result.step().packed().rows().size() + result.step().file().size();
  }
}

}  // namespace gpusim::server
