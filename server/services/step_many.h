// Many boards on their way from StepMany's request to its response:
//
//   Convert --> a task, submitted --> Take --> Fill
//           \-> no task: no board is good --> Fill (of errors alone)
//
// All boards, those of `boards` that are good and then those of `uniform`, are one task.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <grpcpp/support/status.h>
#include <tl/expected.hpp>

#include "gpusim/v1/life.pb.h"
#include "server/kinds/life_kind.h"
#include "server/services/serving_context.h"
#include "server/services/step_plan.h"
#include "server/services/uniform_boards.h"

namespace gpusim::server {

// For one thread at a time.
class StepManyCall {
 public:
  static constexpr std::uint64_t kMaxBoards = 65'536;

  // The context has to outlive it.
  explicit StepManyCall(const ServingContext& context) : context_(context) {}

  // A board of `boards` that is bad fails alone; the error is of the call as a whole: too many boards, cells or bytes of the reply,
  // or bad uniform boards. Takes time by the bytes of the request and the words of the boards.
  tl::expected<std::unique_ptr<kinds::LifeTask>, grpc::Status> Convert(
      const v1::StepManyRequest& request, const batching::Terms& terms,
      kinds::Listener<kinds::LifeTask>& listener);

  // The answers out of the task, which is answered.
  void Take(kinds::LifeTask& task);

  // Boards, words of them that came back, and rows of series: what Fill takes time by.
  std::size_t boards() const { return items_.size() + answers_.size(); }
  std::uint64_t answered_words() const;
  std::uint64_t series_rows() const;

  // The response is empty before.
  void Fill(v1::StepManyResponse& response);

 private:
  struct Item {
    StepPlan plan;
    v1::OutputFormat format = v1::OUTPUT_FORMAT_UNSPECIFIED;
  };

  std::optional<Violation> ReadBoards(const v1::StepManyRequest& request);
  Violations ReadUniform(const v1::StepManyRequest& request);
  void FillItem(std::size_t i, kinds::LifeAnswer& answer, v1::StepManyResult& result);

  const ServingContext& context_;
  std::vector<tl::expected<Item, grpc::Status>> items_;  // one an entry of `boards`
  std::optional<UniformPlan> uniform_;
  std::vector<kinds::LifeRun> runs_;
  std::vector<kinds::LifeAnswer> answers_;  // of the good items, then of the uniform boards
  std::uint64_t cells_ = 0;                 // of all boards, rows padded to whole words
  std::uint64_t known_bytes_ = 0;           // of the reply
  std::uint64_t board_bytes_left_ = 0;      // of the reply, for boards whose size was not known
};

}  // namespace gpusim::server
