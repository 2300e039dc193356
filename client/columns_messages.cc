#include <string>
#include <utility>

#include "client/call_error.h"
#include "client/camel_letters.h"
#include "client/column_reader.h"
#include "client/messages.h"

namespace gpusim {
namespace {

template <class T>
std::string ToBytes(const std::vector<T>& column) {
  return {reinterpret_cast<const char*>(column.data()), column.size() * sizeof(T)};
}

// Every row whose status is not 0; the server says why of the first ones alone.
std::vector<RowError> FailedRows(const std::vector<std::uint8_t>& status,
                                 const v1::GetOddsColumnsResponse& message) {
  std::vector<RowError> failed;
  auto told = message.failed().begin();
  for (std::uint32_t row = 0; row < status.size(); ++row) {
    if (status[row] == 0) continue;
    while (told != message.failed().end() && told->row() < row) ++told;
    if (told != message.failed().end() && told->row() == row) {
      failed.push_back({row, ErrorFromStatus(told->status())});
    } else {
      failed.push_back({row, Error{.code = static_cast<StatusCode>(status[row]),
                                   .message = "the server refused this row"}});
    }
  }
  return failed;
}

}  // namespace

std::vector<FieldViolation> LengthFaults(const OddsColumnsRequest& request) {
  std::vector<FieldViolation> faults;
  const std::size_t rows = request.rows;
  if (rows < 1 || rows > kMaxColumnRows) {
    faults.push_back({"rows", std::to_string(rows) + ": 1 to " + std::to_string(kMaxColumnRows)});
  }
  const auto check = [&](const char* name, std::size_t length, std::size_t expected) {
    if (length == expected) return;
    faults.push_back({name, std::to_string(length) + " elements: " + std::to_string(rows) +
                                " rows need " + std::to_string(expected)});
  };
  const std::size_t camels = CamelsOf(request.edition).size();
  check("spaces", request.spaces.size(), camels * rows);
  check("heights", request.heights.size(), camels * rows);
  if (!request.oases.empty()) check("oases", request.oases.size(), rows);
  if (!request.mirages.empty()) check("mirages", request.mirages.size(), rows);
  if (!request.dice.empty()) check("dice", request.dice.size(), rows);
  return faults;
}

v1::GetOddsColumnsRequest ToMessage(const OddsColumnsRequest& request) {
  v1::GetOddsColumnsRequest message;
  message.set_edition(static_cast<v1::Edition>(request.edition));
  message.set_rows(request.rows);
  message.set_spaces(ToBytes(request.spaces));
  message.set_heights(ToBytes(request.heights));
  message.set_oases(ToBytes(request.oases));
  message.set_mirages(ToBytes(request.mirages));
  message.set_dice(ToBytes(request.dice));
  FillOutputs(request.outputs, message);
  message.set_max_reply_bytes(request.max_reply_bytes);
  return message;
}

Result<OddsColumns> FromMessage(const v1::GetOddsColumnsResponse& message) {
  constexpr std::size_t kSquare = kRacers * kRacers;
  OddsColumns columns;
  columns.rows = message.rows();
  ColumnReader reader(message.rows());
  std::vector<std::uint8_t> status;
  reader.Read("row_status", message.row_status(), 1, status);
  reader.Read("total_weight", message.total_weight(), 1, columns.total_weight);
  reader.Read("race_ends_weight", message.race_ends_weight(), 2, columns.race_ends_weight);
  reader.Read("rank_weight", message.rank_weight(), kSquare, columns.rank_weight);
  reader.Read("pair_weight", message.pair_weight(), kSquare, columns.pair_weight);
  reader.Read("landing_weight", message.landing_weight(), 16, columns.landing_weight);
  reader.Read("ticket_value_weight", message.ticket_value_weight(), kRacers * 3,
              columns.ticket_value_weight);
  reader.Read("race_win", message.race_win(), kRacers, columns.race_win);
  reader.Read("race_last", message.race_last(), kRacers, columns.race_last);
  reader.Read("expected_legs", message.expected_legs(), 1, columns.expected_legs);
  reader.Read("race_joint", message.race_joint(), kSquare, columns.race_joint);
  if (!reader.fault().empty()) return tl::unexpected(BadReply(reader.fault()));
  columns.failed = FailedRows(status, message);
  columns.provenance = FromMessage(message.provenance());
  return columns;
}

}  // namespace gpusim
