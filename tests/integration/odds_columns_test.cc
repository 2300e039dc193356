// GetOddsColumns through a running server: rows against single calls, bad rows among good ones, and what is
// refused whole.
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <google/rpc/error_details.pb.h>
#include <gtest/gtest.h>

#include "tests/integration/odds_request.h"
#include "tests/integration/pending_call.h"
#include "tests/testing/camel_up_cases.h"
#include "tests/testing/in_process_server.h"
#include "tests/testing/odds_column_cases.h"

namespace gpusim::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

// Component k of row i of a column.
template <class T>
T At(const std::string& column, std::size_t rows, std::size_t k, std::size_t row) {
  T value{};
  EXPECT_LE((k * rows + row + 1) * sizeof(T), column.size());
  std::memcpy(&value, column.data() + (k * rows + row) * sizeof(T), sizeof(T));
  return value;
}

const std::vector<v1::Output> kLegOutputs{v1::OUTPUT_LEG_RANKS, v1::OUTPUT_LEG_PAIRS,
                                          v1::OUTPUT_LANDINGS, v1::OUTPUT_LEG_VALUES};

void AddOutputs(const std::vector<v1::Output>& outputs, v1::GetOddsColumnsRequest& request) {
  for (const v1::Output output : outputs) request.add_outputs(output);
}

grpc::Status GetColumns(InProcessServer& server, const v1::GetOddsColumnsRequest& request,
                        v1::GetOddsColumnsResponse& response) {
  grpc::ClientContext context;
  return server.camel_up().GetOddsColumns(&context, request, &response);
}

v1::GetOddsResponse GetOne(InProcessServer& server, const reference::Position& position,
                           const std::vector<v1::Output>& outputs) {
  const v1::GetOddsRequest request = Ask(position, outputs);
  grpc::ClientContext context;
  v1::GetOddsResponse response;
  const grpc::Status status = server.camel_up().GetOdds(&context, request, &response);
  EXPECT_TRUE(status.ok()) << status.error_message();
  return response;
}

void ExpectSameLeg(const v1::GetOddsColumnsResponse& columns, std::size_t row,
                   const v1::GetOddsResponse& one) {
  const std::size_t rows = columns.rows();
  const auto word = [&](const std::string& column, std::size_t k) {
    return At<std::uint32_t>(column, rows, k, row);
  };
  EXPECT_EQ(word(columns.total_weight(), 0), one.total_weight());
  EXPECT_EQ(word(columns.race_ends_weight(), 0), one.race_ends_weight());
  EXPECT_EQ(word(columns.race_ends_weight(), 1), one.race_ends_backward_weight());
  for (std::size_t camel = 0; camel < 5; ++camel) {
    const v1::CamelOdds& odds = one.camels(static_cast<int>(camel));
    for (std::size_t place = 0; place < 5; ++place)
      EXPECT_EQ(word(columns.rank_weight(), camel * 5 + place),
                odds.rank_weight(static_cast<int>(place)));
    for (std::size_t face = 0; face < 3; ++face)
      EXPECT_EQ(At<std::int32_t>(columns.ticket_value_weight(), rows, camel * 3 + face, row),
                odds.tickets(static_cast<int>(face)).value_weight());
  }
  int pair = 0;
  for (std::size_t first = 0; first < 5; ++first) {
    for (std::size_t second = 0; second < 5; ++second)
      EXPECT_EQ(word(columns.pair_weight(), first * 5 + second),
                first == second ? 0 : one.pairs(pair++).weight());
  }
  std::vector<std::uint32_t> landings(16, 0);
  for (const v1::TileLandings& tile : one.landings())
    landings[tile.space() - 1] = tile.landing_weight();
  for (std::size_t k = 0; k < 16; ++k) EXPECT_EQ(word(columns.landing_weight(), k), landings[k]);
}

void ExpectSameRace(const v1::GetOddsColumnsResponse& columns, std::size_t row,
                    const v1::GetOddsResponse& one) {
  const std::size_t rows = columns.rows();
  const auto number = [&](const std::string& column, std::size_t k) {
    return At<double>(column, rows, k, row);
  };
  EXPECT_EQ(number(columns.expected_legs(), 0), one.expected_legs().value());
  int pair = 0;
  for (std::size_t winner = 0; winner < 5; ++winner) {
    const v1::CamelOdds& odds = one.camels(static_cast<int>(winner));
    EXPECT_EQ(number(columns.race_win(), winner), odds.race_win());
    EXPECT_EQ(number(columns.race_last(), winner), odds.race_last());
    for (std::size_t last = 0; last < 5; ++last)
      EXPECT_EQ(number(columns.race_joint(), winner * 5 + last),
                winner == last ? 0 : one.race_pairs(pair++).probability().value());
  }
}

std::vector<reference::Position> RandomPositions(int edition, std::size_t rows,
                                                 std::mt19937_64& random) {
  std::vector<reference::Position> positions;
  while (positions.size() < rows) positions.push_back(RandomPosition(edition, random));
  return positions;
}

TEST(OddsColumnsTest, RowsAreAsSingleCallsAndBadOnesFailAlone) {
  InProcessServer server;
  std::mt19937_64 random(5);
  for (const int edition : {1, 2}) {
    for (const bool with_bad : {false, true}) {
      const std::size_t rows = edition == 1 ? 300 : 60;
      const auto positions = RandomPositions(edition, rows, random);
      v1::GetOddsColumnsRequest request = ColumnsOf(positions);
      AddOutputs(kLegOutputs, request);
      const std::vector<std::uint32_t> bad{0, 7, 8, 9, static_cast<std::uint32_t>(rows - 1)};
      if (with_bad) {
        for (const std::uint32_t row : bad) (*request.mutable_spaces())[row] = 99;
      }
      v1::GetOddsColumnsResponse response;
      const grpc::Status status = GetColumns(server, request, response);
      ASSERT_TRUE(status.ok()) << status.error_message();
      ASSERT_EQ(response.rows(), rows);
      EXPECT_EQ(response.provenance().method(), v1::METHOD_EXACT);
      EXPECT_TRUE(response.race_win().empty());
      EXPECT_TRUE(response.race_joint().empty());
      ASSERT_EQ(response.failed_size(), with_bad ? 5 : 0);
      std::size_t failed = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        SCOPED_TRACE("row " + std::to_string(row) + ": " + Describe(positions[row]));
        const auto code = At<std::uint8_t>(response.row_status(), rows, 0, row);
        if (with_bad && failed < bad.size() && bad[failed] == row) {
          EXPECT_EQ(code, 3);
          const v1::RowViolations& violations = response.failed(static_cast<int>(failed++));
          EXPECT_EQ(violations.row(), row);
          EXPECT_EQ(violations.status().code(), 3);
          google::rpc::BadRequest details;
          ASSERT_EQ(violations.status().details_size(), 1);
          ASSERT_TRUE(violations.status().details(0).UnpackTo(&details));
          EXPECT_EQ(
              details.field_violations(0).field(),
              "rows[" + std::to_string(row) + "].camel " + (edition == 1 ? "B" : "r") + ".space");
          EXPECT_EQ(At<std::uint32_t>(response.total_weight(), rows, 0, row), 0u);
          for (std::size_t k = 0; k < 25; ++k)
            EXPECT_EQ(At<std::uint32_t>(response.rank_weight(), rows, k, row), 0u);
          for (std::size_t k = 0; k < 15; ++k)
            EXPECT_EQ(At<std::int32_t>(response.ticket_value_weight(), rows, k, row), 0);
        } else {
          EXPECT_EQ(code, 0);
          ExpectSameLeg(response, row, GetOne(server, positions[row], kLegOutputs));
        }
      }
    }
  }
}

TEST(OddsColumnsTest, RacesAreAsSingleCallsToo) {
  InProcessServer server(RaceOptions());
  const std::vector<v1::Output> outputs{v1::OUTPUT_RACE, v1::OUTPUT_RACE_JOINT};
  std::mt19937_64 random(11);
  const std::size_t rows = 100;
  const auto positions = RandomPositions(1, rows, random);
  v1::GetOddsColumnsRequest request = ColumnsOf(positions);
  AddOutputs(outputs, request);
  (*request.mutable_dice())[40] = 0;
  v1::GetOddsColumnsResponse response;
  const grpc::Status status = GetColumns(server, request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_TRUE(response.rank_weight().empty());
  for (std::size_t row = 0; row < rows; ++row) {
    SCOPED_TRACE("row " + std::to_string(row) + ": " + Describe(positions[row]));
    if (row == 40) {
      for (std::size_t k = 0; k < 5; ++k)
        EXPECT_EQ(At<double>(response.race_win(), rows, k, row), 0.0);
      EXPECT_EQ(At<double>(response.expected_legs(), rows, 0, row), 0.0);
    } else {
      ExpectSameRace(response, row, GetOne(server, positions[row], outputs));
    }
  }
}

// The largest call there is, of short legs. It takes many chunks and goes through the conversion pool.
TEST(OddsColumnsTest, TheMostRowsAtOnce) {
  constexpr std::uint32_t kRows = 65'536;
  InProcessServer server;
  std::mt19937_64 random(6);
  std::vector<reference::Position> positions = RandomPositions(1, kRows, random);
  for (reference::Position& position : positions) position.dice.resize(1);
  v1::GetOddsColumnsRequest request = ColumnsOf(positions);
  AddOutputs({v1::OUTPUT_LEG_RANKS}, request);
  for (std::uint32_t row = 5; row < kRows; row += 1000) (*request.mutable_dice())[row] = 0;

  v1::GetOddsColumnsResponse response;
  grpc::Status status = GetColumns(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("max_reply_bytes '4194304': the reply of 65536"));

  request.set_max_reply_bytes(16u << 20);
  status = GetColumns(server, request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(response.failed_size(), 32);
  EXPECT_EQ(response.failed(31).row(), 31'005u);
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const bool bad = row % 1000 == 5;
    ASSERT_EQ(At<std::uint8_t>(response.row_status(), kRows, 0, row), bad ? 3 : 0) << row;
    ASSERT_EQ(At<std::uint32_t>(response.total_weight(), kRows, 0, row), bad ? 0u : 3u) << row;
    std::uint32_t of_camel = 0;
    for (std::size_t place = 0; place < 5; ++place)
      of_camel += At<std::uint32_t>(response.rank_weight(), kRows, 2 * 5 + place, row);
    ASSERT_EQ(of_camel, bad ? 0u : 3u) << row;
  }
  for (std::uint32_t row = 1; row < kRows; row += 4099) {
    const v1::GetOddsResponse one = GetOne(server, positions[row], {v1::OUTPUT_LEG_RANKS});
    for (std::size_t k = 0; k < 25; ++k)
      EXPECT_EQ(At<std::uint32_t>(response.rank_weight(), kRows, k, row),
                one.camels(static_cast<int>(k / 5)).rank_weight(static_cast<int>(k % 5)));
  }
}

TEST(OddsColumnsTest, OnlyBadRowsAreAnsweredToo) {
  InProcessServer server;
  std::mt19937_64 random(7);
  v1::GetOddsColumnsRequest request = ColumnsOf(RandomPositions(2, 3, random));
  request.set_dice(std::string(3, '\0'));
  v1::GetOddsColumnsResponse response;
  ASSERT_TRUE(GetColumns(server, request, response).ok());
  EXPECT_EQ(response.row_status(), std::string(3, 3));
  EXPECT_EQ(response.rank_weight(), std::string(std::size_t{3} * 25 * 4, 0));
  EXPECT_EQ(server.Statistics("camel_up").requests(), 0u);
}

TEST(OddsColumnsTest, FaultsOfTheShapeAreRefusedWholeAndAllAtOnce) {
  InProcessServer server;
  std::mt19937_64 random(8);
  v1::GetOddsColumnsRequest request = ColumnsOf(RandomPositions(2, 10, random));
  request.mutable_spaces()->pop_back();
  request.mutable_heights()->push_back(0);
  request.set_oases("abc");
  request.set_dice("abc");
  request.add_outputs(v1::OUTPUT_UNSPECIFIED);
  request.set_max_reply_bytes(65u << 20);
  v1::GetOddsColumnsResponse response;
  grpc::Status status = GetColumns(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(ViolationsOf(status),
              UnorderedElementsAre("spaces: '69 bytes': 70 bytes: 7 for each of 10 rows",
                                   "heights: '71 bytes': 70 bytes: 7 for each of 10 rows",
                                   "oases: '3 bytes': 40 bytes: 4 for each of 10 rows",
                                   "dice: '3 bytes': 10 bytes: 1 for each of 10 rows",
                                   HasSubstr("outputs[0]: 'OUTPUT_UNSPECIFIED'"),
                                   HasSubstr("max_reply_bytes: '68157440': at most the server's "
                                             "max-columns-reply-bytes, 67108864")));

  for (const std::uint32_t rows : {0u, 65'537u}) {
    request.Clear();
    request.set_rows(rows);
    status = GetColumns(server, request, response);
    EXPECT_THAT(ViolationsOf(status),
                UnorderedElementsAre(HasSubstr("edition: 'EDITION_UNSPECIFIED'"),
                                     "rows: '" + std::to_string(rows) + "': 1 to 65536"));
  }
}

TEST(OddsColumnsTest, TheReplysSizeIsCheckedBeforeTheWork) {
  InProcessServer server;
  std::mt19937_64 random(9);
  v1::GetOddsColumnsRequest request = ColumnsOf(RandomPositions(1, 100, random));
  request.set_max_reply_bytes(12'000);
  v1::GetOddsColumnsResponse response;
  // 113 bytes a row.
  EXPECT_THAT(ViolationsOf(GetColumns(server, request, response)),
              ElementsAre(HasSubstr("max_reply_bytes: '12000': the reply of 100 rows has ")));
  request.set_max_reply_bytes(12'400);
  ASSERT_TRUE(GetColumns(server, request, response).ok());
  EXPECT_LE(response.ByteSizeLong(), 12'400u);
  // What is said of bad rows counts as well.
  (*request.mutable_spaces())[3] = 0;
  EXPECT_THAT(ViolationsOf(GetColumns(server, request, response)),
              ElementsAre(HasSubstr("max_reply_bytes: '12400'")));
  request.set_max_reply_bytes(13'000);
  ASSERT_TRUE(GetColumns(server, request, response).ok());
  EXPECT_LE(response.ByteSizeLong(), 13'000u);
}

TEST(OddsColumnsTest, WithoutItsTableARaceCallIsRefusedWhole) {
  InProcessServer server;
  std::mt19937_64 random(10);
  v1::GetOddsColumnsRequest request = ColumnsOf(RandomPositions(1, 10, random));
  request.add_outputs(v1::OUTPUT_RACE_JOINT);
  v1::GetOddsColumnsResponse response;
  const grpc::Status status = GetColumns(server, request, response);
  EXPECT_EQ(status.error_code(), grpc::StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr("the race table of the first edition"));
}

}  // namespace
}  // namespace gpusim::testing
