// What the command line prints about Camel Up, without a server, and the notation that it reads.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "client/cli/game_notation.h"
#include "client/cli/live_view.h"
#include "client/cli/moves_report.h"
#include "client/cli/odds_report.h"
#include "client/cli/status_report.h"

namespace gpusim::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr Terminal kPipe{};

v1::GetOddsResponse ExactRace() {
  v1::GetOddsResponse odds;
  odds.set_total_weight(100);
  for (const v1::Camel name : {v1::CAMEL_BLUE, v1::CAMEL_GREEN}) {
    v1::CamelOdds& camel = *odds.add_camels();
    camel.set_camel(name);
    camel.set_race_win(name == v1::CAMEL_BLUE ? 0.25 : 0.75);
    camel.set_race_last(0.5);
    for (const std::uint32_t face : {5u, 3u, 2u}) {
      v1::TicketValue& ticket = *camel.add_tickets();
      ticket.set_face(face);
      ticket.set_value(name == v1::CAMEL_BLUE ? -1.0 : face / 4.0);
    }
    v1::RacePairOdds& pair = *odds.add_race_pairs();
    pair.set_winner(name);
    pair.set_last(name == v1::CAMEL_BLUE ? v1::CAMEL_GREEN : v1::CAMEL_BLUE);
    pair.mutable_probability()->set_value(0.125);
  }
  odds.mutable_expected_legs()->set_value(4.8781);
  return odds;
}

v1::GetOddsResponse Sampled() {
  v1::GetOddsResponse odds;
  odds.set_simulations(1000);
  v1::CamelOdds& camel = *odds.add_camels();
  camel.set_camel(v1::CAMEL_RED);
  for (int place = 0; place < 5; ++place) {
    camel.add_ranks()->set_value(0.2);
    camel.mutable_ranks(place)->set_standard_error(0.0126);
  }
  v1::TicketValue& ticket = *camel.add_tickets();
  ticket.set_face(5);
  ticket.set_value(0.5);
  ticket.set_standard_error(0.0625);
  camel.set_race_win(0.25);
  camel.set_race_win_standard_error(0.015);
  camel.set_race_last(0.125);
  camel.set_race_last_standard_error(0.01);
  odds.mutable_expected_legs()->set_value(4.5);
  odds.mutable_expected_legs()->set_standard_error(0.03);
  odds.mutable_race_ends()->set_value(0.5);
  odds.mutable_race_ends()->set_standard_error(0.0158);
  v1::Provenance& provenance = *odds.mutable_provenance();
  provenance.set_method(v1::METHOD_MONTE_CARLO);
  provenance.set_backend(v1::BACKEND_CPU);
  provenance.mutable_stream()->set_seed(7);
  provenance.mutable_stream()->set_offset(64);
  return odds;
}

TEST(OddsTable, ShowsTicketsRaceAndJoint) {
  EXPECT_EQ(OddsTable(ExactRace(), v1::EDITION_FIRST, kPipe),
            R"(value of a ticket        5        3        2
green (G)          +1.2500  +0.7500  +0.5000
blue (B)           -1.0000  -1.0000  -1.0000

race          win    last
green (G)  75.00%  50.00%
blue (B)   25.00%  50.00%
expected legs: 4.8781

winner, last  blue (B)  green (G)
blue (B)             -     12.50%
green (G)       12.50%          -

race ends in this leg: 0.00% (0)
)");
}

TEST(OddsTable, ShowsStandardErrorsAndTheStreamForMonteCarlo) {
  EXPECT_EQ(OddsTable(Sampled(), v1::EDITION_SECOND, kPipe),
            R"(chance      1st     2nd     3rd     4th     5th
red (r)  20.00%  20.00%  20.00%  20.00%  20.00%

standard error      1st      2nd      3rd      4th      5th
red (r)         1.2600%  1.2600%  1.2600%  1.2600%  1.2600%

value of a ticket                 5
red (r)            +0.5000 +-0.0625

race                  win              last
red (r)  25.00% +-1.5000%  12.50% +-1.0000%
expected legs: 4.5000 +-0.0300

race ends in this leg: 50.00% +-1.5800%, backward: 0.00% +-0.0000%
1000 simulations
monte carlo, cpu
stream: --seed 7 --subsequence 0 --offset 64
)");
}

TEST(OddsTable, HasBarsOfTheRaceAtATerminal) {
  const Terminal terminal{.is_terminal = true, .color = false, .columns = 100};
  EXPECT_THAT(OddsTable(ExactRace(), v1::EDITION_FIRST, terminal), HasSubstr("50.00%  \u2588"));
}

TEST(OddsCsv, PlacesTicketsAndRaceAreColumnsOfOne) {
  EXPECT_EQ(OddsCsv(ExactRace()),
            "camel,total_weight,race_ends_weight,race_ends_backward_weight,ticket_5,ticket_3,"
            "ticket_2,race_win,race_last,expected_legs\n"
            "CAMEL_BLUE,100,0,0,-1,-1,-1,0.25,0.5,4.8781\n"
            "CAMEL_GREEN,100,0,0,1.25,0.75,0.5,0.75,0.5,4.8781\n");
  EXPECT_THAT(OddsCsv(Sampled()),
              StartsWith("camel,first,first_error,second,second_error,third,third_error,fourth,"
                         "fourth_error,fifth,fifth_error,simulations,race_ends,race_ends_error,"
                         "race_ends_backward,race_ends_backward_error,ticket_5,ticket_5_error,"
                         "race_win,race_win_error,race_last,race_last_error,expected_legs,"
                         "expected_legs_error\n"
                         "CAMEL_RED,0.2,0.0126,"));
}

TEST(OddsCsv, TheOthersAreOneEach) {
  v1::GetOddsResponse joint = ExactRace();
  joint.clear_camels();
  EXPECT_EQ(OddsCsv(joint),
            "winner,last,probability\nCAMEL_BLUE,CAMEL_GREEN,0.125\n"
            "CAMEL_GREEN,CAMEL_BLUE,0.125\n");
  v1::GetOddsResponse sampled;
  sampled.set_simulations(10);
  v1::PairOdds& pair = *sampled.add_pairs();
  pair.set_first(v1::CAMEL_RED);
  pair.set_second(v1::CAMEL_BLUE);
  pair.mutable_probability()->set_value(0.5);
  EXPECT_EQ(OddsCsv(sampled),
            "first,second,probability,probability_error,simulations\n"
            "CAMEL_RED,CAMEL_BLUE,0.5,0,10\n");
  EXPECT_EQ(OddsCsv({}), "space,effect,landing_weight,total_weight\n");
}

v1::EvaluateMovesResponse SomeMoves() {
  v1::EvaluateMovesResponse moves;
  v1::MoveValue& ticket = *moves.add_moves();
  ticket.mutable_take_ticket()->set_camel(v1::CAMEL_BLUE);
  ticket.mutable_take_ticket()->set_face(5);
  ticket.set_value(1.25);
  ticket.set_lower(1.25);
  ticket.set_upper(1.25);
  ticket.set_expected(3.5);
  v1::MoveValue& card = *moves.add_moves();
  card.mutable_place_card()->set_camel(v1::CAMEL_RED);
  card.mutable_place_card()->set_winner(true);
  card.set_value(1.125);
  card.set_lower(0.5);
  card.set_upper(2);
  card.set_expected(3.375);
  v1::MoveValue& roll = *moves.add_moves();
  roll.mutable_roll();
  roll.set_value(1);
  roll.set_lower(1);
  roll.set_upper(1);
  v1::MoveValue& tile = *moves.add_moves();
  tile.mutable_place_tile()->set_space(9);
  tile.mutable_place_tile()->set_effect(v1::TILE_EFFECT_MIRAGE);
  tile.set_value(-0.25);
  tile.set_lower(-0.25);
  tile.set_upper(-0.25);
  moves.set_baseline(2.25);
  return moves;
}

TEST(MovesTable, ShowsEveryActionAndBoundsWhereTheyDiffer) {
  EXPECT_EQ(MovesTable(SomeMoves(), v1::EDITION_SECOND, false),
            R"(action                            value  expected        value between
take the ticket of 5  blue (b)  +1.2500    3.5000
bet on the winner     red (r)   +1.1250    3.3750  +0.5000 and +2.0000
roll                            +1.0000    0.0000
place mirage (-)      space 9   -0.2500    0.0000

expected without an action: 2.2500 coins
)");
}

TEST(MovesTable, HasNoBoundsWhereNothingIsUnknown) {
  v1::EvaluateMovesResponse moves = SomeMoves();
  moves.mutable_moves()->DeleteSubrange(1, 1);
  EXPECT_THAT(MovesTable(moves, v1::EDITION_SECOND, false), Not(HasSubstr("between")));
}

TEST(MovesCsv, HasOneShapeForAllActions) {
  EXPECT_EQ(MovesCsv(SomeMoves()),
            "action,camel,face,pile,space,effect,value,expected,lower,upper\n"
            "take_ticket,CAMEL_BLUE,5,,,,1.25,3.5,1.25,1.25\n"
            "place_card,CAMEL_RED,,winner,,,1.125,3.375,0.5,2\n"
            "roll,,,,,,1,0,1,1\n"
            "place_tile,,,,9,TILE_EFFECT_MIRAGE,-0.25,0,-0.25,-0.25\n");
}

std::string PileText(const std::string& text) {
  const auto pile = ParsePile(v1::EDITION_SECOND, text);
  if (!pile) return pile.error();
  std::string shown;
  for (const v1::RaceCard& card : *pile) {
    shown += (shown.empty() ? "" : " ") +
             (card.camel() == v1::CAMEL_UNSPECIFIED ? "unknown" : v1::Camel_Name(card.camel())) +
             (card.mine() ? "!" : "");
  }
  return shown;
}

TEST(GameNotation, PilesHaveCamelsUnknownCardsAndOnesOwn) {
  EXPECT_EQ(PileText("b! ? g"), "CAMEL_BLUE! unknown CAMEL_GREEN");
  EXPECT_EQ(PileText("B!?g"), PileText("b! ? g"));
  EXPECT_EQ(PileText(""), "");
  EXPECT_EQ(PileText("b !"), "has a ! that stands behind no known card; write b! ? g");
  EXPECT_EQ(PileText("?!"), "has a ! that stands behind no known card; write b! ? g");
  EXPECT_EQ(PileText("b!!"), "has a ! that stands behind no known card; write b! ? g");
  EXPECT_EQ(PileText("o"), "has 'o' where a camel of the edition is expected: rbgypwk");
}

TEST(GameNotation, TicketsAndHand) {
  const auto tickets = ParseTickets(v1::EDITION_FIRST, "B5, w3");
  ASSERT_TRUE(tickets);
  ASSERT_EQ(tickets->size(), 2u);
  EXPECT_EQ((*tickets)[1].camel(), v1::CAMEL_WHITE);
  EXPECT_EQ((*tickets)[1].face(), 3u);
  EXPECT_EQ(ParseTickets(v1::EDITION_FIRST, "B").error(),
            "has a camel without its face value; write b5 g3");
  EXPECT_EQ(ParseTickets(v1::EDITION_FIRST, "r5").error(),
            "has 'r' where a camel of the edition is expected: BGOYW");
  EXPECT_EQ(*ParseHand(v1::EDITION_SECOND, "b w"),
            (std::vector<v1::Camel>{v1::CAMEL_BLUE, v1::CAMEL_CRAZY_WHITE}));
  EXPECT_FALSE(ParseHand(v1::EDITION_SECOND, "b1"));
}

TEST(StatusReport, ShowsRaceTablesTheWarmStreamAndTheCache) {
  v1::GetInfoResponse info;
  v1::RaceTable& ready = *info.add_race_tables();
  ready.set_edition(1);
  ready.set_state(v1::RACE_TABLE_STATE_READY);
  ready.set_bytes(5 << 19);
  ready.set_memory(v1::TABLE_MEMORY_DEVICE);
  ready.set_file("/var/race1\x1b");
  v1::RaceTable& solving = *info.add_race_tables();
  solving.set_edition(2);
  solving.set_state(v1::RACE_TABLE_STATE_SOLVING);
  solving.set_progress(0.25);
  solving.set_remaining_ms(130'000);
  v1::RaceTable& off = *info.add_race_tables();
  off.set_edition(2);
  off.set_state(v1::RACE_TABLE_STATE_OFF);
  off.set_reason("no memory");
  info.mutable_warm_stream()->set_seed(5);
  v1::GetStatisticsResponse statistics;
  v1::CacheStatistics& cache = *statistics.mutable_cache();
  cache.set_hits(3);
  cache.set_misses(1);
  cache.set_entries(1);
  cache.set_max_bytes(64 << 20);
  const std::string text = StatusTable(info, statistics, false);
  EXPECT_THAT(text, HasSubstr("race table 1  ready, 2.5 MiB, in device memory, /var/race1\\x1b\n"));
  EXPECT_THAT(text, HasSubstr("race table 2  solving, 25.00%, 2:10 left\n"));
  EXPECT_THAT(text, HasSubstr("race table 2  off: no memory\n"));
  EXPECT_THAT(text, HasSubstr("warm stream   --seed 5 --subsequence 0 --offset 0\n"));
  EXPECT_THAT(text, HasSubstr("cache         75.00% of 4 hit, 1 entries, 0.0 of 64.0 MiB\n"));
  cache.set_max_bytes(0);
  EXPECT_THAT(StatusTable(info, statistics, false), HasSubstr("cache         off\n"));
}

TEST(LiveView, BarsAndClocks) {
  EXPECT_EQ(ProgressBar(0), "[                              ] 0.0%");
  EXPECT_EQ(ProgressBar(0.5), "[###############               ] 50.0%");
  EXPECT_EQ(ProgressBar(7), "[##############################] 100.0%");
  EXPECT_EQ(ClockText(65.4), "1:05");
  EXPECT_EQ(ClockText(7400), "2:03:20");
  EXPECT_EQ(ClockText(1e300), "?");
}

}  // namespace
}  // namespace gpusim::cli
