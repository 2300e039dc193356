// GetOddsColumns between its messages and the domain: the shape of the request, and the columns of the reply.
//
//   request's bytes --ReadOddsRows--> queries --ExactTask--> answer columns of a batch
//                                                                 | Take: one copy a component, a run of rows at a time
//                                     reply's bytes <-------------+
//                                     | Fill: moved into the message; race figures become doubles here
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <tl/expected.hpp>

#include "gpusim/v1/camel_up.pb.h"
#include "kernels/odds.h"
#include "kernels/violation.h"
#include "server/services/camel_up_convert.h"
#include "server/services/odds_rows.h"

namespace gpusim::server {

inline constexpr std::uint32_t kMaxColumnRows = 65'536;

// Refers to the request's bytes.
struct ColumnsQuestion {
  PositionColumns columns;
  OddsOutputs outputs;
  std::uint64_t max_reply_bytes = 0;
};

// All faults of the request's shape at once: rows, lengths, outputs, and the size of a reply without failed rows.
// `server_max_reply_bytes` is the server's own limit. Costs nothing by the row.
tl::expected<ColumnsQuestion, Violations> ColumnsQuestionOf(
    const v1::GetOddsColumnsRequest& request, std::uint64_t server_max_reply_bytes);

// The columns of a reply, rows that have no answer 0. For one thread at a time.
class ColumnsReply {
 public:
  // Names the bad rows and describes the first 32 of them. The bytes of the question's columns have to stay until the
  // last Take.
  ColumnsReply(const ColumnsQuestion& question, std::vector<std::uint32_t> bad_rows);

  // What is wrong with the reply's size, as the bad rows say more than the columns do; empty: nothing. Before Reserve.
  Violations SizeFaults() const;

  // Makes room for the answers of the good rows, whose questions these are.
  void Reserve(const std::vector<camel_up::OddsQuery>& queries);
  std::uint64_t bytes() const;

  // The answers to `count` questions from `question` on lie in `answers` from `row` on.
  void Take(std::size_t question, std::size_t count, const camel_up::OddsAnswers& answers,
            std::size_t row);

  // Everything but the provenance; what was taken is given away.
  void Fill(v1::GetOddsColumnsResponse& response);

 private:
  struct Run;

  void TakeRun(const Run& run);
  void TakeTickets(const Run& run);
  void TakeLandings(const Run& run);
  void FillRace(v1::GetOddsColumnsResponse& response);
  std::string RaceSums(bool of_winners) const;

  const ColumnsQuestion question_;
  const std::vector<std::uint32_t> bad_rows_;
  std::vector<v1::RowViolations> failed_;
  std::vector<std::uint32_t> good_rows_;  // of the questions; empty where all rows are good
  // Columns of the reply.
  std::string row_status_, total_weight_, race_ends_, ranks_, pairs_, landings_, tickets_;
  std::string race_joint_, race_legs_;  // integers until Fill
};

}  // namespace gpusim::server
