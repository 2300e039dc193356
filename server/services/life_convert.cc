#include "server/services/life_convert.h"

#include <optional>
#include <string_view>
#include <utility>

#include "kernels/formats/read_pattern.h"
#include "kernels/formats/rule_string.h"
#include "server/services/packed_rows.h"
#include "server/services/step_response.h"

namespace gpusim::server {
namespace {

constexpr std::string_view kFormatRule =
    "one of OUTPUT_FORMAT_UNSPECIFIED, _PACKED, _RLE, _CELLS, _LIFE106 and _LIFE105";

class StepReader {
 public:
  StepReader(const v1::StepRequest& request, const StepLimits& limits)
      : request_(request), limits_(limits) {}

  tl::expected<StepWishes, Violations> Run() && {
    ReadSource();
    ReadRuleAndTopology();
    wishes_.generations = request_.generations();
    wishes_.until = UntilOf(request_.until(), violations_);
    if (!request_.facts().empty()) wishes_.facts = FactChoiceOf(request_.facts(), violations_);
    wishes_.facts_every = request_.facts_every();
    if (request_.has_at()) wishes_.at = formats::Cell{request_.at().x(), request_.at().y()};
    wishes_.wants_board = request_.output_format() != v1::OUTPUT_FORMAT_UNSPECIFIED;
    if (!v1::OutputFormat_IsValid(request_.output_format()))
      violations_.push_back(
          {"output_format", std::to_string(request_.output_format()), std::string(kFormatRule)});
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return std::move(wishes_);
  }

 private:
  void ReadSource() {
    switch (request_.source_case()) {
      case v1::StepRequest::kPattern:
        ReadPattern();
        break;
      case v1::StepRequest::kPacked:
        ReadPacked(request_.packed());
        break;
      case v1::StepRequest::kRandom:
        wishes_.source = RandomCells{request_.random().seed(),
                                     ThresholdOf(request_.random(), "random", violations_)};
        break;
      case v1::StepRequest::SOURCE_NOT_SET:
        violations_.push_back(
            {"source", "", "a step starts from a pattern, a packed board or random cells"});
    }
  }

  void ReadPattern() {
    auto pattern =
        formats::ReadPattern(request_.pattern(), {.max_live_cells = limits_.max_step_cells});
    if (pattern) {
      wishes_.source = *std::move(pattern);
    } else {
      violations_.push_back(pattern.error().ToViolation("pattern"));
    }
  }

  void ReadPacked(const v1::PackedBoard& packed) {
    const std::size_t faults_before = violations_.size();
    const std::string sides[] = {"packed.width", "packed.height"};
    for (const bool height : {false, true}) {
      if ((height ? packed.height() : packed.width()) == 0)
        violations_.push_back({sides[height], "0", "a board is at least one cell wide and high"});
    }
    if (violations_.size() > faults_before) return;
    if (PaddedCells(packed.width(), packed.height()) > limits_.max_step_cells) {
      violations_.push_back(
          TooManyCells("packed", packed.width(), packed.height(), limits_.max_step_cells));
      return;
    }
    const std::uint64_t bytes = PackedBytes(packed.width(), packed.height());
    if (packed.rows().size() != bytes) {
      violations_.push_back({"packed.rows", std::to_string(packed.rows().size()) + " bytes",
                             "a board of " + std::to_string(packed.width()) + "x" +
                                 std::to_string(packed.height()) + " has " + std::to_string(bytes) +
                                 " bytes, each row padded to whole bytes"});
      return;
    }
    auto board = UnpackRows(packed.width(), packed.height(), packed.rows());
    if (board) {
      wishes_.source = *std::move(board);
    } else {
      violations_.push_back({"packed.rows", "row " + std::to_string(board.error()),
                             "the bits that pad a row to whole bytes are 0"});
    }
  }

  void ReadRuleAndTopology() {
    if (!request_.rule().empty()) wishes_.rule = RuleOf(request_.rule(), violations_);
    if (request_.topology().empty()) return;
    if (const auto grid = formats::ParseTopology(request_.topology())) {
      wishes_.grid = *grid;
    } else {
      violations_.push_back(grid.error().ToViolation("topology"));
    }
  }

  const v1::StepRequest& request_;
  const StepLimits& limits_;
  StepWishes wishes_;
  Violations violations_;
};

}  // namespace

tl::expected<StepPlan, Violations> PlanOf(const v1::StepRequest& request,
                                          const StepLimits& limits) {
  auto wishes = StepReader(request, limits).Run();
  if (!wishes) return tl::unexpected(std::move(wishes.error()));
  auto plan = PlanStep(*std::move(wishes), limits.max_step_cells);
  if (!plan) return plan;
  if (auto fault = ReplySizeFault(*plan, request.output_format(), limits.max_reply_bytes))
    return tl::unexpected(Violations{*std::move(fault)});
  return plan;
}

life::Rule RuleOf(const std::string& text, Violations& violations) {
  if (text.empty()) return life::kConway;
  const auto rule = formats::ParseRule(text);
  if (!rule) violations.push_back(rule.error().ToViolation("rule"));
  return rule.value_or(life::kConway);
}

Violation TooManyCells(const std::string& field, std::uint32_t width, std::uint32_t height,
                       std::uint64_t max_step_cells) {
  return {field, std::to_string(width) + "x" + std::to_string(height),
          std::to_string(PaddedCells(width, height)) +
              " cells with rows padded to 64, max-step-cells is " + std::to_string(max_step_cells)};
}

}  // namespace gpusim::server
