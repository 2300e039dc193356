// Positions as columns, and columns through a server in this process.
#include <cstring>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gpusim/client.h>
#include <gtest/gtest.h>

#include "client/position_text.h"
#include "tests/unit/client_fake_server.h"

namespace gpusim {
namespace {

using ::testing::ElementsAre;
using testing::FakeServer;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Client Connect(const FakeServer& server) {
  return std::move(Client::Create({.server = server.address()}).value());
}

PositionText First(std::string stacks, std::string tiles = "", std::string dice = "") {
  return {.edition = Edition::kFirst,
          .stacks = std::move(stacks),
          .tiles = std::move(tiles),
          .dice = std::move(dice)};
}

std::vector<std::string> FaultsOf(const AnyPosition& position, Edition edition = Edition::kFirst) {
  std::vector<std::string> lines;
  for (const RowError& fault : PackPositions(edition, {position}).faults) {
    EXPECT_EQ(fault.error.code, StatusCode::kInvalidArgument);
    for (const auto& [field, description] : fault.error.violations)
      lines.push_back(field + ": " + description);
  }
  return lines;
}

TEST(PackPositions, PutsComponentsOneBehindTheOther) {
  const PackedPositions packed =
      PackPositions(Edition::kFirst, {First("1:BGO 2:Y 3:W", "6+ 8-a", "BW"), First("16:wyogb")});
  EXPECT_THAT(packed.faults, IsEmpty());
  EXPECT_EQ(packed.request.rows, 2u);
  // B of both rows, then G, O, Y, W.
  EXPECT_THAT(packed.request.spaces, ElementsAre(1, 16, 1, 16, 1, 16, 2, 16, 3, 16));
  EXPECT_THAT(packed.request.heights, ElementsAre(0, 4, 1, 3, 2, 2, 0, 1, 0, 0));
  EXPECT_THAT(packed.request.oases, ElementsAre(1 << 6, 0));
  EXPECT_THAT(packed.request.mirages, ElementsAre(1 << 8, 0));
  EXPECT_THAT(packed.request.dice, ElementsAre(0b10001, 0b11111));
}

TEST(PackPositions, SecondEditionHasTheCrazyOnesAndTheGreyDieLast) {
  const PackedPositions packed = PackPositions(
      Edition::kSecond,
      {Position{.edition = Edition::kSecond,
                .stacks = {{.space = 5, .camels = {Camel::kRed, Camel::kBlue, Camel::kGreen}},
                           {.space = 6,
                            .camels = {Camel::kYellow, Camel::kPurple, Camel::kCrazyWhite,
                                       Camel::kCrazyBlack}}},
                .tiles = {{.space = 9, .effect = TileEffect::kMirage}},
                .dice = {Die::kGrey, Die::kRed}}});
  EXPECT_THAT(packed.faults, IsEmpty());
  EXPECT_THAT(packed.request.spaces, ElementsAre(5, 5, 5, 6, 6, 6, 6));
  EXPECT_THAT(packed.request.heights, ElementsAre(0, 1, 2, 0, 1, 2, 3));
  EXPECT_THAT(packed.request.mirages, ElementsAre(1 << 9));
  EXPECT_THAT(packed.request.dice, ElementsAre(0b100001));
}

TEST(PackPositions, SaysWhatColumnsCannotHold) {
  EXPECT_THAT(FaultsOf(First("1:BGO")),
              ElementsAre("stacks: 'Y': the camel is missing; every camel of the edition stands on "
                          "the board once",
                          "stacks: 'W': the camel is missing; every camel of the edition stands on "
                          "the board once"));
  EXPECT_THAT(FaultsOf(First("1:BGOYWB")),
              ElementsAre("stacks[0].camels: 'B': the camel is on the board already"));
  EXPECT_THAT(FaultsOf(First("1:BG 300:OY 1:W")),
              ElementsAre("stacks[1].space: '300': spaces run from 1 to 16",
                          "stacks[2].space: '1': another stack stands on that space already"));
  EXPECT_THAT(FaultsOf(First("1:BGOYW", "6+ 6- 40+")),
              ElementsAre("tiles[1].space: '6': there is a tile on that space already",
                          "tiles[2].space: '40': tiles lie on spaces 2 to 16"));
  EXPECT_THAT(FaultsOf(First("1:BGOYW", "", "BB")),
              ElementsAre("dice[1]: 'B': the die is listed already"));
  EXPECT_THAT(FaultsOf(First("1:BGOYW"), Edition::kSecond),
              ElementsAre("edition: all positions of a call are of one edition"));
}

TEST(PackPositions, SaysWhereATextIsNone) {
  EXPECT_THAT(FaultsOf(First("x:B 1: 2:Bz")),
              ElementsAre("text.stacks: 'x:B': a stack is written space:camels, bottom to top, "
                          "such as 1:BG",
                          "text.stacks: '1:': a stack is written space:camels, bottom to top, such "
                          "as 1:BG",
                          "text.stacks: '2:Bz': 'z' is not a camel of the edition: BGOYW"));
  EXPECT_THAT(FaultsOf(First("1:BGOYW", "6 7+ab", "R")),
              ElementsAre("text.tiles: '6': a tile is written as its space, + or -, and perhaps "
                          "its owner's letter, such as 6+ or 6+a",
                          "text.tiles: '7+ab': a tile is written as its space, + or -, and perhaps "
                          "its owner's letter, such as 6+ or 6+a",
                          "text.dice: 'R': 'R' is not a die of the edition: BGOYW"));
}

// A row that was half packed before its fault showed must not look like a position.
TEST(PackPositions, ABadRowIsAllZero) {
  const PackedPositions packed =
      PackPositions(Edition::kFirst, {First("1:BGOY", "6+", "B"), First("1:BGOYW")});
  EXPECT_THAT(packed.request.spaces, ElementsAre(0, 1, 0, 1, 0, 1, 0, 1, 0, 1));
  EXPECT_THAT(packed.request.oases, ElementsAre(0, 0));
  EXPECT_THAT(packed.request.dice, ElementsAre(0, 0b11111));
}

template <class T>
std::string Bytes(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

TEST(ClientColumns, SendsPackedPositionsAndReadsEveryColumn) {
  v1::GetOddsColumnsRequest seen;
  FakeServer server(
      {.get_odds_columns = [&](grpc::ServerContext&, const v1::GetOddsColumnsRequest& request,
                               v1::GetOddsColumnsResponse& response) {
        seen = request;
        response.set_rows(3);
        response.set_row_status(std::string("\0\3\3", 3));
        v1::RowViolations& failed = *response.add_failed();
        failed.set_row(1);
        failed.mutable_status()->ParseFromString(
            testing::BadFields("of the server", {{"spaces", "bad"}}).error_details());
        response.set_total_weight(Bytes<std::uint32_t>({29160, 0, 0}));
        response.set_race_ends_weight(Bytes<std::uint32_t>({1, 0, 0, 2, 0, 0}));
        response.set_ticket_value_weight(Bytes(std::vector<std::int32_t>(45, -7)));
        response.set_race_win(Bytes(std::vector<double>(15, 0.2)));
        return grpc::Status::OK;
      }});
  Client client = Connect(server);
  const auto columns = client.GetOddsColumns(
      Edition::kFirst, {First("1:BGOYW"), First("1:BGOY"), First("2:BGOYW", "3+")},
      {OddsOutput::kLegValues, OddsOutput::kRace});
  ASSERT_TRUE(columns) << columns.error().message;
  EXPECT_EQ(seen.rows(), 3u);
  EXPECT_EQ(seen.spaces(), std::string("\1\0\2\1\0\2\1\0\2\1\0\2\1\0\2", 15));
  EXPECT_EQ(seen.oases(), Bytes<std::uint32_t>({0, 0, 8}));
  EXPECT_THAT(seen.outputs(), ElementsAre(v1::OUTPUT_LEG_VALUES, v1::OUTPUT_RACE));
  EXPECT_THAT(columns->total_weight, ElementsAre(29160, 0, 0));
  EXPECT_THAT(columns->race_ends_weight, ElementsAre(1, 0, 0, 2, 0, 0));
  EXPECT_THAT(columns->ticket_value_weight, SizeIs(45));
  EXPECT_EQ(columns->ticket_value_weight[44], -7);
  EXPECT_THAT(columns->race_win, SizeIs(15));
  EXPECT_THAT(columns->rank_weight, IsEmpty());
  // What the client knows better stands in the place of the server's words.
  ASSERT_THAT(columns->failed, SizeIs(2));
  EXPECT_EQ(columns->failed[0].row, 1u);
  EXPECT_EQ(columns->failed[0].error.violations.at(0).field, "stacks");
  EXPECT_EQ(columns->failed[1].row, 2u);
  EXPECT_EQ(columns->failed[1].error.code, StatusCode::kInvalidArgument);
  EXPECT_EQ(columns->failed[1].error.message, "the server refused this row");
}

TEST(ClientColumns, ChecksTheLengthsItIsGiven) {
  FakeServer server(testing::FakeHandlers{});
  Client client = Connect(server);
  const OddsColumnsRequest bad{.edition = Edition::kSecond,
                               .rows = 2,
                               .spaces = std::vector<std::uint8_t>(10),
                               .heights = std::vector<std::uint8_t>(14),
                               .oases = {1},
                               .dice = {1, 2, 3}};
  for (const bool async : {false, true}) {
    const auto columns =
        async ? client.GetOddsColumnsFuture(bad).get() : client.GetOddsColumns(bad);
    ASSERT_FALSE(columns);
    EXPECT_EQ(columns.error().code, StatusCode::kInvalidArgument);
    EXPECT_THAT(columns.error().violations,
                ElementsAre(FieldViolation{"spaces", "10 elements: 2 rows need 14"},
                            FieldViolation{"oases", "1 elements: 2 rows need 2"},
                            FieldViolation{"dice", "3 elements: 2 rows need 2"}));
  }
  const auto none = client.GetOddsColumns(Edition::kFirst, {}, {});
  ASSERT_FALSE(none);
  EXPECT_THAT(none.error().violations, ElementsAre(FieldViolation{"rows", "0: 1 to 65536"}));
}

TEST(ClientColumns, ARaggedReplyIsAnError) {
  FakeServer server({.get_odds_columns = [&](grpc::ServerContext&, const v1::GetOddsColumnsRequest&,
                                             v1::GetOddsColumnsResponse& response) {
    response.set_rows(2);
    response.set_rank_weight("abc");
    return grpc::Status::OK;
  }});
  Client client = Connect(server);
  const auto columns = client.GetOddsColumns(Edition::kFirst, {First("1:BGOYW")}, {});
  ASSERT_FALSE(columns);
  EXPECT_EQ(columns.error().code, StatusCode::kInternal);
  EXPECT_EQ(columns.error().message, "the reply's column rank_weight has 3 bytes, not 200");
}

}  // namespace
}  // namespace gpusim
