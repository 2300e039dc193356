#include "server/services/odds_columns.h"

#include <bit>
#include <cstring>
#include <utility>

#include "kernels/rules/camel_up_leg.h"
#include "server/services/error_mapping.h"
#include "server/services/odds_figures.h"
#include "server/services/position_convert.h"

namespace gpusim::server {
namespace {

using camel_up::kRacers;
using camel_up::OddsAnswers;

static_assert(std::endian::native == std::endian::little, "columns are written in place");

constexpr std::size_t kSquare = kRacers * kRacers;
constexpr std::size_t kTickets = kRacers * kTicketFaces.size();
constexpr std::uint64_t kDefaultReplyBytes = std::uint64_t{4} << 20;
constexpr std::uint64_t kReplyRestBytes = 1024;  // provenance, and what frames the fields
constexpr std::size_t kMaxDescribedRows = 32;

template <class T>
T Load(const std::string& column, std::size_t at) {
  T value;
  std::memcpy(&value, column.data() + at * sizeof(T), sizeof(T));
  return value;
}

template <class T>
void Store(T value, std::size_t at, std::string& column) {
  std::memcpy(column.data() + at * sizeof(T), &value, sizeof(T));
}

// Of a row in the reply.
std::uint64_t RowBytes(const OddsOutputs& outputs) {
  constexpr std::uint64_t kWord = sizeof(std::uint32_t);
  constexpr std::uint64_t kDouble = sizeof(double);
  std::uint64_t bytes = 1 + kWord + 2 * kWord;  // status, total weight, race ends
  if (outputs.leg_ranks) bytes += kSquare * kWord;
  if (outputs.leg_pairs) bytes += kSquare * kWord;
  if (outputs.landings) bytes += camel_up::kSpaces * kWord;
  if (outputs.leg_values) bytes += kTickets * kWord;
  if (outputs.race) bytes += (2 * kRacers + 1) * kDouble;
  if (outputs.race_joint) bytes += kSquare * kDouble;
  return bytes;
}

Violations ReplySizeFaults(const ColumnsQuestion& question, std::uint64_t failed_bytes) {
  const std::uint64_t bytes =
      question.columns.rows * RowBytes(question.outputs) + failed_bytes + kReplyRestBytes;
  if (bytes <= question.max_reply_bytes) return {};
  return {{"max_reply_bytes", std::to_string(question.max_reply_bytes),
           "the reply of " + std::to_string(question.columns.rows) + " rows has " +
               std::to_string(bytes) + " bytes; ask for fewer rows or outputs, or allow more"}};
}

class ShapeReader {
 public:
  ShapeReader(const v1::GetOddsColumnsRequest& request, std::uint64_t server_max_reply_bytes)
      : request_(request), server_max_reply_bytes_(server_max_reply_bytes) {}

  tl::expected<ColumnsQuestion, Violations> Run() && {
    const auto edition = ReadEdition(request_.edition(), "edition");
    if (!edition) violations_ = edition.error();
    const bool rows_fit = request_.rows() >= 1 && request_.rows() <= kMaxColumnRows;
    if (!rows_fit)
      violations_.push_back(
          {"rows", std::to_string(request_.rows()), "1 to " + std::to_string(kMaxColumnRows)});
    question_.outputs = ReadOutputs(request_.outputs(), violations_);
    if (edition && rows_fit) ReadColumns(*edition);
    ReadReplyLimit();
    if (violations_.empty()) violations_ = ReplySizeFaults(question_, 0);
    if (!violations_.empty()) return tl::unexpected(std::move(violations_));
    return question_;
  }

 private:
  void ReadColumns(camel_up::Edition edition) {
    PositionColumns& columns = question_.columns;
    const auto camels = static_cast<std::size_t>(camel_up::CamelsOf(edition));
    columns.edition = edition;
    columns.rows = request_.rows();
    columns.spaces = Column("spaces", request_.spaces(), camels);
    columns.heights = Column("heights", request_.heights(), camels);
    if (!request_.oases().empty()) columns.oases = Column("oases", request_.oases(), 4);
    if (!request_.mirages().empty()) columns.mirages = Column("mirages", request_.mirages(), 4);
    if (!request_.dice().empty()) columns.dice = Column("dice", request_.dice(), 1);
  }

  std::string_view Column(const char* field, const std::string& bytes, std::size_t row_bytes) {
    const std::size_t expected = row_bytes * request_.rows();
    if (bytes.size() != expected)
      violations_.push_back({field, std::to_string(bytes.size()) + " bytes",
                             std::to_string(expected) + " bytes: " + std::to_string(row_bytes) +
                                 " for each of " + std::to_string(request_.rows()) + " rows"});
    return bytes;
  }

  void ReadReplyLimit() {
    const std::uint64_t asked = request_.max_reply_bytes();
    if (asked > server_max_reply_bytes_)
      violations_.push_back({"max_reply_bytes", std::to_string(asked),
                             "at most the server's max-columns-reply-bytes, " +
                                 std::to_string(server_max_reply_bytes_)});
    question_.max_reply_bytes =
        asked != 0 ? asked : std::min(kDefaultReplyBytes, server_max_reply_bytes_);
  }

  const v1::GetOddsColumnsRequest& request_;
  const std::uint64_t server_max_reply_bytes_;
  ColumnsQuestion question_;
  Violations violations_;
};

}  // namespace

tl::expected<ColumnsQuestion, Violations> ColumnsQuestionOf(
    const v1::GetOddsColumnsRequest& request, std::uint64_t server_max_reply_bytes) {
  return ShapeReader(request, server_max_reply_bytes).Run();
}

// Neighbouring rows whose answers are neighbours as well.
struct ColumnsReply::Run {
  const OddsAnswers& answers;
  std::size_t from;  // in the answers
  std::size_t to;    // in the reply
  std::size_t count;
  std::size_t rows;  // of the reply

  template <std::size_t kColumn>
  void CopyTo(std::string& reply) const {
    using Scalar = std::remove_pointer_t<decltype(answers.Column<kColumn>())>;
    const std::size_t components = reply.size() / (rows * sizeof(Scalar));
    for (std::size_t k = 0; k < components; ++k)
      std::memcpy(reply.data() + (k * rows + to) * sizeof(Scalar),
                  answers.Column<kColumn>(k) + from, count * sizeof(Scalar));
  }
};

ColumnsReply::ColumnsReply(const ColumnsQuestion& question, std::vector<std::uint32_t> bad_rows)
    : question_(question), bad_rows_(std::move(bad_rows)) {
  for (const std::uint32_t row : bad_rows_) {
    if (failed_.size() == kMaxDescribedRows) break;
    v1::RowViolations& failed = failed_.emplace_back();
    failed.set_row(row);
    *failed.mutable_status() = RpcStatusOf(BadInput(FaultsOfRow(question_.columns, row)));
  }
}

Violations ColumnsReply::SizeFaults() const {
  constexpr std::uint64_t kFrameBytes = 4;
  std::uint64_t failed_bytes = 0;
  for (const v1::RowViolations& failed : failed_)
    failed_bytes += failed.ByteSizeLong() + kFrameBytes;
  return ReplySizeFaults(question_, failed_bytes);
}

void ColumnsReply::Reserve(const std::vector<camel_up::OddsQuery>& queries) {
  const std::size_t rows = question_.columns.rows;
  const OddsOutputs& outputs = question_.outputs;
  const auto make = [&](bool wanted, std::size_t row_bytes, std::string& column) {
    if (wanted) column.assign(row_bytes * rows, '\0');
  };
  make(true, sizeof(std::uint8_t), row_status_);
  make(true, sizeof(std::uint32_t), total_weight_);
  make(true, sizeof(std::uint32_t) * 2, race_ends_);
  make(outputs.leg_ranks, sizeof(std::uint32_t) * kSquare, ranks_);
  make(outputs.leg_pairs, sizeof(std::uint32_t) * kSquare, pairs_);
  make(outputs.landings, sizeof(std::uint32_t) * camel_up::kSpaces, landings_);
  make(outputs.leg_values, sizeof(std::int32_t) * kTickets, tickets_);
  make(outputs.race || outputs.race_joint, sizeof(std::uint64_t) * kSquare, race_joint_);
  make(outputs.race, sizeof(std::uint64_t), race_legs_);

  for (const std::uint32_t row : bad_rows_)
    row_status_[row] = static_cast<char>(grpc::StatusCode::INVALID_ARGUMENT);
  if (!bad_rows_.empty()) {
    for (std::uint32_t row = 0; row < rows; ++row) {
      if (row_status_[row] == 0) good_rows_.push_back(row);
    }
  }
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const camel_up::LegQuery& leg = queries[i].leg;
    Store(camel_up::TotalWeight(leg.edition, std::popcount(camel_up::DiceLeft(leg.board))),
          good_rows_.empty() ? i : good_rows_[i], total_weight_);
  }
}

std::uint64_t ColumnsReply::bytes() const {
  std::uint64_t bytes = good_rows_.size() * sizeof(std::uint32_t);
  for (const std::string* column : {&row_status_, &total_weight_, &race_ends_, &ranks_, &pairs_,
                                    &landings_, &tickets_, &race_joint_, &race_legs_})
    bytes += column->size();
  return bytes;
}

void ColumnsReply::Take(std::size_t question, std::size_t count, const OddsAnswers& answers,
                        std::size_t row) {
  const std::size_t rows = question_.columns.rows;
  if (good_rows_.empty()) {
    TakeRun({answers, row, question, count, rows});
    return;
  }
  const std::uint32_t* to = good_rows_.data() + question;
  for (std::size_t begin = 0, end = 0; begin < count; begin = end) {
    for (end = begin + 1; end < count && to[end] == to[end - 1] + 1;) ++end;
    TakeRun({answers, row + begin, to[begin], end - begin, rows});
  }
}

void ColumnsReply::TakeRun(const Run& run) {
  run.CopyTo<camel_up::kRaceEndsWeight>(race_ends_);
  run.CopyTo<camel_up::kRankWeight>(ranks_);
  run.CopyTo<camel_up::kPairWeight>(pairs_);
  run.CopyTo<camel_up::kRaceJoint>(race_joint_);
  run.CopyTo<camel_up::kRaceLegs>(race_legs_);
  if (question_.outputs.leg_values) TakeTickets(run);
  if (question_.outputs.landings) TakeLandings(run);
}

void ColumnsReply::TakeTickets(const Run& run) {
  for (std::size_t camel = 0; camel < kRacers; ++camel) {
    const std::uint32_t* first = run.answers.Column<camel_up::kRankWeight>(camel * kRacers);
    const std::uint32_t* second = run.answers.Column<camel_up::kRankWeight>(camel * kRacers + 1);
    for (std::size_t face = 0; face < kTicketFaces.size(); ++face) {
      const std::size_t to = (camel * kTicketFaces.size() + face) * run.rows + run.to;
      for (std::size_t i = 0; i < run.count; ++i) {
        const auto total = Load<std::uint32_t>(total_weight_, run.to + i);
        const TicketSums sums =
            TicketOf(kTicketFaces[face], first[run.from + i], second[run.from + i], total);
        Store(static_cast<std::int32_t>(sums.sum), to + i, tickets_);
      }
    }
  }
}

// An answer counts its tiles, the reply has a component for every space.
void ColumnsReply::TakeLandings(const Run& run) {
  for (std::size_t i = 0; i < run.count; ++i) {
    std::uint32_t left = question_.columns.TiledSpaces(run.to + i);
    for (std::size_t tile = 0; left != 0; left &= left - 1, ++tile) {
      const auto space = static_cast<std::size_t>(std::countr_zero(left));
      Store(run.answers.At<camel_up::kLandingWeight>(run.from + i, tile),
            (space - 1) * run.rows + run.to + i, landings_);
    }
  }
}

void ColumnsReply::Fill(v1::GetOddsColumnsResponse& response) {
  response.set_rows(static_cast<std::uint32_t>(question_.columns.rows));
  for (v1::RowViolations& failed : failed_) response.add_failed()->Swap(&failed);
  FillRace(response);
  response.set_row_status(std::move(row_status_));
  response.set_total_weight(std::move(total_weight_));
  response.set_race_ends_weight(std::move(race_ends_));
  response.set_rank_weight(std::move(ranks_));
  response.set_pair_weight(std::move(pairs_));
  response.set_landing_weight(std::move(landings_));
  response.set_ticket_value_weight(std::move(tickets_));
}

// sums[camel][row], all of 2^-kJointUnitBits, as doubles.
std::string ColumnsReply::RaceSums(bool of_winners) const {
  const std::size_t rows = question_.columns.rows;
  std::string sums(kRacers * rows * sizeof(double), '\0');
  for (std::size_t camel = 0; camel < kRacers; ++camel) {
    for (std::size_t row = 0; row < rows; ++row) {
      std::uint64_t sum = 0;
      for (std::size_t other = 0; other < kRacers; ++other) {
        const std::size_t component =
            of_winners ? camel * kRacers + other : other * kRacers + camel;
        sum += Load<std::uint64_t>(race_joint_, component * rows + row);
      }
      const auto total = Load<std::uint32_t>(total_weight_, row);
      if (total != 0) Store(Ratio(sum, total, camel_up::kJointUnitBits), camel * rows + row, sums);
    }
  }
  return sums;
}

void ColumnsReply::FillRace(v1::GetOddsColumnsResponse& response) {
  const std::size_t rows = question_.columns.rows;
  // An integer makes room for its double, which is as wide.
  const auto divide = [&](int unit_bits, std::string& column) {
    for (std::size_t i = 0; i < column.size() / sizeof(double); ++i) {
      const auto total = Load<std::uint32_t>(total_weight_, i % rows);
      if (total != 0) Store(Ratio(Load<std::uint64_t>(column, i), total, unit_bits), i, column);
    }
  };
  if (question_.outputs.race) {
    response.set_race_win(RaceSums(true));
    response.set_race_last(RaceSums(false));
    divide(camel_up::kLegsUnitBits, race_legs_);
    response.set_expected_legs(std::move(race_legs_));
  }
  if (question_.outputs.race_joint) {
    divide(camel_up::kJointUnitBits, race_joint_);
    response.set_race_joint(std::move(race_joint_));
  }
}

}  // namespace gpusim::server
