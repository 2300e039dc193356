#include "server/services/uniform_boards.h"

#include <bit>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include "server/services/life_convert.h"
#include "server/services/packed_rows.h"

namespace gpusim::server {
namespace {

static_assert(std::endian::native == std::endian::little, "columns are written in place");

class UniformReader {
 public:
  UniformReader(const v1::UniformBoards& request, const UniformLimits& limits)
      : request_(request), limits_(limits) {}

  tl::expected<UniformPlan, Violations> Run(std::vector<kinds::LifeRun>& runs) && {
    plan_.count = request_.count();
    if (plan_.count == 0 || plan_.count > limits_.max_boards)
      violations_.push_back({"count", std::to_string(plan_.count),
                             "1 to " + std::to_string(limits_.max_boards) + " boards"});
    ReadTopology();
    run_.rule = RuleOf(request_.rule(), violations_);
    run_.generations = request_.generations();
    run_.until = UntilOf(request_.until(), violations_);
    plan_.facts = FactChoiceOf(request_.facts(), violations_);
    plan_.return_rows = request_.return_rows();
    run_.facts = plan_.facts.set;
    run_.wants_cells = plan_.return_rows || plan_.facts.hash;
    if (request_.source_case() == v1::UniformBoards::SOURCE_NOT_SET)
      violations_.push_back({"source", "", "boards start from rows or random cells"});
    if (request_.has_random())
      run_.threshold = ThresholdOf(request_.random(), "random", violations_);
    if (violations_.empty()) CheckSize();
    if (violations_.empty()) request_.has_random() ? AddRandom(runs) : AddRows(runs);
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return plan_;
  }

 private:
  void ReadTopology() {
    const auto grid = formats::ParseTopology(request_.topology());
    if (!grid) {
      violations_.push_back(grid.error().ToViolation("topology"));
    } else if (!*grid) {
      violations_.push_back({"topology", request_.topology(),
                             "boards of one shape have a torus or a plane of a fixed size"});
    } else {
      plan_.grid = **grid;
      run_.topology = plan_.grid.topology;
      run_.board.width = plan_.grid.width;
      run_.board.height = plan_.grid.height;
    }
  }

  // No product here overflows: sides are below 2^32, and counts are few.
  void CheckSize() {
    const auto [topology, width, height] = plan_.grid;
    const std::uint64_t cells = PaddedCells(width, height);
    if (cells > limits_.max_step_cells) {
      violations_.push_back(TooManyCells("topology", width, height, limits_.max_step_cells));
    } else if (plan_.count * cells > limits_.max_cells) {
      violations_.push_back({"count", std::to_string(plan_.count),
                             std::to_string(plan_.count * cells) +
                                 " cells with rows padded to 64; all boards of a call together "
                                 "have at most max-call-cells, " +
                                 std::to_string(limits_.max_call_cells)});
    } else if (!request_.has_random()) {
      const std::uint64_t bytes = plan_.count * PackedBytes(width, height);
      if (request_.rows().size() != bytes)
        violations_.push_back({"rows", std::to_string(request_.rows().size()) + " bytes",
                               std::to_string(plan_.count) + " boards have " +
                                   std::to_string(bytes) +
                                   " bytes, each row padded to whole bytes"});
    }
  }

  void AddRandom(std::vector<kinds::LifeRun>& runs) {
    run_.source = life::Source::kRandom;
    for (std::uint64_t k = 0; k < plan_.count; ++k) {
      runs.push_back(run_);
      runs.back().seed = request_.random().seed() + k;
    }
  }

  void AddRows(std::vector<kinds::LifeRun>& runs) {
    const auto [topology, width, height] = plan_.grid;
    const std::uint64_t bytes = PackedBytes(width, height);
    const std::string_view rows = request_.rows();
    for (std::uint64_t k = 0; k < plan_.count; ++k) {
      auto board = UnpackRows(width, height, rows.substr(k * bytes, bytes));
      if (!board) {
        violations_.push_back(
            {"rows", "row " + std::to_string(board.error()) + " of board " + std::to_string(k),
             "the bits that pad a row to whole bytes are 0"});
        return;
      }
      runs.push_back(run_);
      runs.back().board = *std::move(board);
    }
  }

  const v1::UniformBoards& request_;
  const UniformLimits& limits_;
  UniformPlan plan_;
  kinds::LifeRun run_;  // what all have in common
  Violations violations_;
};

// Column of `components` numbers a board, component-major; number_of(answer, component).
template <class Number, class NumberOf>
std::string ColumnOf(std::span<const kinds::LifeAnswer> answers, std::size_t components,
                     const NumberOf& number_of) {
  std::string column(answers.size() * components * sizeof(Number), '\0');
  char* to = column.data();
  for (std::size_t component = 0; component < components; ++component) {
    for (const kinds::LifeAnswer& answer : answers) {
      const Number number = static_cast<Number>(number_of(answer, component));
      std::memcpy(to, &number, sizeof number);
      to += sizeof number;
    }
  }
  return column;
}

template <class Number, class NumberOf>
std::string ColumnOf(std::span<const kinds::LifeAnswer> answers, const NumberOf& number_of) {
  return ColumnOf<Number>(
      answers, 1, [&](const kinds::LifeAnswer& answer, std::size_t) { return number_of(answer); });
}

std::string RowsOf(const UniformPlan& plan, std::span<const kinds::LifeAnswer> answers) {
  const std::uint64_t bytes = PackedBytes(plan.grid.width, plan.grid.height);
  std::string rows(bytes * answers.size(), '\0');
  for (std::size_t k = 0; k < answers.size(); ++k)
    PackRowsTo(answers[k].board, rows.data() + k * bytes);
  return rows;
}

v1::StopReason StopReasonOf(const kinds::LifeAnswer& answer) {
  return answer.met ? v1::STOP_REASON_CONDITION : v1::STOP_REASON_TARGET;
}

}  // namespace

std::uint64_t UniformPlan::reply_bytes() const {
  constexpr std::uint64_t kColumnFrames = 11 * 8;
  const auto if_in = [this](life::FactBit bit, std::uint64_t bytes) {
    return (facts.set & bit) != 0 ? bytes : 0;
  };
  const std::uint64_t of_board = 8 + 8 + 1 + 4 + if_in(life::kCountChanges, 16) +
                                 if_in(life::kFindBox, 16) + if_in(life::kMakeDigest, 8) +
                                 if_in(life::kMakeShapeDigest, 8) + (facts.hash ? 8 : 0) +
                                 (return_rows ? PackedBytes(grid.width, grid.height) : 0);
  return count * of_board + kColumnFrames;
}

tl::expected<UniformPlan, Violations> UniformPlanOf(const v1::UniformBoards& request,
                                                    const UniformLimits& limits,
                                                    std::vector<kinds::LifeRun>& runs) {
  return UniformReader(request, limits).Run(runs);
}

void FillUniform(const UniformPlan& plan, std::span<const kinds::LifeAnswer> answers,
                 v1::UniformResults& message) {
  using kinds::LifeAnswer;
  using u64 = std::uint64_t;
  message.set_generation(
      ColumnOf<u64>(answers, [](const LifeAnswer& a) { return a.last.generation; }));
  message.set_population(
      ColumnOf<u64>(answers, [](const LifeAnswer& a) { return a.last.population; }));
  message.set_stop_reason(ColumnOf<std::uint8_t>(answers, StopReasonOf));
  message.set_period(
      ColumnOf<std::uint32_t>(answers, [](const LifeAnswer& a) { return a.period; }));
  if ((plan.facts.set & life::kCountChanges) != 0) {
    message.set_births(ColumnOf<u64>(answers, [](const LifeAnswer& a) { return a.last.births; }));
    message.set_deaths(ColumnOf<u64>(answers, [](const LifeAnswer& a) { return a.last.deaths; }));
  }
  if ((plan.facts.set & life::kFindBox) != 0)
    message.set_box(ColumnOf<std::uint32_t>(
        answers, 4, [](const LifeAnswer& a, std::size_t k) { return a.last.box[k]; }));
  if ((plan.facts.set & life::kMakeDigest) != 0)
    message.set_digest(ColumnOf<u64>(answers, [](const LifeAnswer& a) { return a.last.digest; }));
  if ((plan.facts.set & life::kMakeShapeDigest) != 0)
    message.set_shape_digest(
        ColumnOf<u64>(answers, [](const LifeAnswer& a) { return a.last.shape_digest; }));
  if (plan.facts.hash)
    message.set_hash(
        ColumnOf<u64>(answers, [](const LifeAnswer& a) { return life::Hash(a.board); }));
  if (plan.return_rows) message.set_rows(RowsOf(plan, answers));
}

}  // namespace gpusim::server
