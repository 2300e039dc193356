#include "client/cli/camel_up_moves.h"

#include <string>

#include <CLI/CLI.hpp>

#include "client/cli/error_report.h"
#include "client/cli/game_notation.h"
#include "client/cli/json.h"
#include "client/cli/moves_report.h"
#include "client/cli/position_options.h"
#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

constexpr const char* kHelp =
    "Race cards are written from the first one placed to the last: a camel's letter, ? for a card\n"
    "that lies face down, ! behind a card of one's own. Both piles start with the first card:\n"
    "  gpusim-client camel-up moves --edition 2 --position '1:rb 2:gy 3:p 14:w 16:k' \\\n"
    "    --tiles '6+a 8-b' --me a --tickets 'b5 g3' --held y5 --hand gyp --coins 7 \\\n"
    "    --winner-cards 'b! ? g' --loser-cards '?'";

class CamelUpMoves : public Command {
 public:
  explicit CamelUpMoves(CLI::App& app) : position_(app) {
    app.add_option("--me", me_, "The asking player's letter, as tiles name their owners");
    app.add_option(
        "--tickets", tickets_,
        "The highest leg ticket left of each camel: 'b5 g3'; none of a camel that is not "
        "named. All, less the held ones");
    app.add_option("--held", held_, "Leg tickets that the player holds: 'y5'");
    app.add_option("--hand", hand_, "Race cards that the player still has: 'bgy'");
    app.add_option("--winner-cards", winner_cards_, "Race cards on the winner's pile: 'b! ? g'");
    app.add_option("--loser-cards", loser_cards_, "Race cards on the loser's pile");
    app.add_option("--coins", coins_, "That the player has now. 0");
    app.add_flag("--no-tile", no_tile_, "The player has no tile to place");
    app.add_flag("--allow-flip", allow_flip_, "The own tile may be turned over where it lies");
    app.add_flag("--coin-floor", coin_floor_, "Coins never fall below 0 when the leg is scored");
    AddHelp(app, kHelp);
  }

  tl::expected<void, Failure> Prepare(const Settings&) override {
    if (auto filled = position_.Fill(*request_.mutable_position()); !filled) return filled;
    request_.set_me(me_);
    request_.set_no_tile(no_tile_);
    request_.set_allow_flip(allow_flip_);
    request_.set_coin_floor(coin_floor_);
    if (!coins_.empty()) {
      const auto coins = ReadCount("--coins", coins_);
      if (!coins) return tl::unexpected(coins.error());
      if (*coins > 1000) return WrongUsage("--coins '" + coins_ + "' is not from 0 to 1000");
      request_.set_coins(static_cast<std::uint32_t>(*coins));
    }
    return ReadCards();
  }

  tl::expected<Output, Failure> Run(const Settings& settings, ProtoClient& client,
                                    const CallOptions& options) override {
    const auto moves = client.EvaluateMoves(request_, options);
    if (!moves) return tl::unexpected(Report(moves.error()));
    switch (settings.format) {
      case Format::kJson:
        return Output{ToJson(*moves), ""};
      case Format::kCsv:
        return Output{MovesCsv(*moves), ""};
      case Format::kTable:
        break;
    }
    return Output{MovesTable(*moves, request_.position().edition(), settings.terminal.color), ""};
  }

 private:
  // `parse` reads the option's text, `add` takes what stood there, one after another.
  template <class Parse, class Add>
  tl::expected<void, Failure> ReadList(const char* option, const std::string& text, Parse parse,
                                       Add add) {
    const auto parsed = parse(request_.position().edition(), text);
    if (!parsed) {
      return WrongUsage(std::string(option) + " '" + Printable(text) + "' " + parsed.error());
    }
    for (const auto& one : *parsed) add(one);
    return {};
  }

  tl::expected<void, Failure> ReadCards() {
    return ReadList("--tickets", tickets_, ParseTickets,
                    [&](const auto& ticket) { *request_.add_tickets() = ticket; })
        .and_then([&] {
          return ReadList("--held", held_, ParseTickets,
                          [&](const auto& ticket) { *request_.add_held_tickets() = ticket; });
        })
        .and_then([&] {
          return ReadList("--hand", hand_, ParseHand,
                          [&](v1::Camel camel) { request_.add_hand(camel); });
        })
        .and_then([&] {
          return ReadList("--winner-cards", winner_cards_, ParsePile,
                          [&](const auto& card) { *request_.add_winner_cards() = card; });
        })
        .and_then([&] {
          return ReadList("--loser-cards", loser_cards_, ParsePile,
                          [&](const auto& card) { *request_.add_loser_cards() = card; });
        });
  }

  PositionOptions position_;
  std::string me_;
  std::string tickets_;
  std::string held_;
  std::string hand_;
  std::string winner_cards_;
  std::string loser_cards_;
  std::string coins_;
  bool no_tile_ = false;
  bool allow_flip_ = false;
  bool coin_floor_ = false;
  v1::EvaluateMovesRequest request_;
};

}  // namespace

std::unique_ptr<Command> MakeCamelUpMoves(CLI::App& app) {
  return std::make_unique<CamelUpMoves>(app);
}

}  // namespace gpusim::cli
