#include "client/cli/position_options.h"

#include <algorithm>
#include <utility>

#include <CLI/CLI.hpp>

#include "client/cli/file_bytes.h"
#include "client/cli/odds_report.h"
#include "client/cli/text.h"
#include "client/cli/values.h"

namespace gpusim::cli {
namespace {

struct OutputName {
  const char* name;
  v1::Output output;
};
constexpr OutputName kOutputs[] = {
    {"ranks", v1::OUTPUT_LEG_RANKS},   {"pairs", v1::OUTPUT_LEG_PAIRS},
    {"landings", v1::OUTPUT_LANDINGS}, {"values", v1::OUTPUT_LEG_VALUES},
    {"race", v1::OUTPUT_RACE},         {"race-joint", v1::OUTPUT_RACE_JOINT}};
constexpr const char* kOutputNames = "ranks,pairs,landings,values,race,race-joint";

std::optional<v1::Output> FindOutput(const std::string& name) {
  for (const OutputName& output : kOutputs) {
    if (name == output.name) return output.output;
  }
  return std::nullopt;
}

}  // namespace

tl::expected<std::uint64_t, Failure> ReadCount(const std::string& option, const std::string& text) {
  auto count = ParseCount(text);
  if (!count) return WrongUsage(option + " '" + Printable(text) + "' " + count.error());
  return *count;
}

void AddHelp(CLI::App& app, const std::string& text) {
  app.footer(text + "\n\n" + app.get_footer());
}

PositionOptions::PositionOptions(CLI::App& app) {
  app.add_option("--edition", edition_, "1 (2014) or 2 (2018)");
  app.add_option("--position", position_,
                 "Camels by space, bottom to top: '1:BGO 2:Y 3:W'; - is stdin. First edition B G O "
                 "Y W, second r b g y p and the crazy w k");
  app.add_option("--tiles", tiles_,
                 "Tiles by space, + oasis, - mirage, perhaps the owner: '6+ 8-b'");
  app.add_option("--dice", dice_, "Dice still in the pyramid: 'BGO', * is the grey one. All");
}

tl::expected<void, Failure> PositionOptions::Fill(v1::Position& position) const {
  if (edition_ == "1") {
    position.set_edition(v1::EDITION_FIRST);
  } else if (edition_ == "2") {
    position.set_edition(v1::EDITION_SECOND);
  } else if (edition_.empty()) {
    return WrongUsage("--edition is missing; pass --edition 1 or --edition 2");
  } else {
    return WrongUsage("--edition '" + edition_ + "' is unknown; pass --edition 1 or --edition 2");
  }
  if (position_.empty()) {
    return WrongUsage("--position is missing; pass one such as --position '1:BGO 2:Y 3:W'");
  }
  std::string stacks = position_;
  if (position_ == "-") {
    auto read = ReadFile("-");
    if (!read) return Fail(kExitFailed, std::move(read.error()));
    stacks = std::move(*read);
  }
  position.mutable_text()->set_stacks(std::move(stacks));
  position.mutable_text()->set_tiles(tiles_);
  position.mutable_text()->set_dice(dice_);
  return {};
}

OutputOptions::OutputOptions(CLI::App& app) {
  app.add_option("--outputs", outputs_, std::string("Any of ") + kOutputNames + ". ranks");
  app.add_flag("--race", race_, "Also who wins the race and who is last: the output race");
}

tl::expected<std::vector<v1::Output>, Failure> OutputOptions::Read(Format format) const {
  std::vector<v1::Output> outputs;
  std::size_t begin = 0;
  while (begin < outputs_.size()) {
    const std::size_t end = std::min(outputs_.find(',', begin), outputs_.size());
    const std::string name = outputs_.substr(begin, end - begin);
    const auto output = FindOutput(name);
    if (!output) {
      return WrongUsage("--outputs '" + Printable(name) + "' is unknown; pass any of " +
                        kOutputNames);
    }
    outputs.push_back(*output);
    begin = end + 1;
  }
  if (race_ && outputs.empty()) outputs.push_back(v1::OUTPUT_LEG_RANKS);
  if (race_ && std::find(outputs.begin(), outputs.end(), v1::OUTPUT_RACE) == outputs.end())
    outputs.push_back(v1::OUTPUT_RACE);
  if (format == Format::kCsv && CsvsFor(outputs) > 1) {
    return WrongUsage("--outputs '" + outputs_ +
                      "' does not fit one CSV; pass ranks, values and race, or one of the others, "
                      "or --format json");
  }
  return outputs;
}

StreamOptions::StreamOptions(CLI::App& app) {
  app.add_option("--seed", seed_,
                 "Of the random stream: the same gives the same bits. The server's");
  app.add_option("--subsequence", subsequence_, "Of the stream's first lane, with --seed. 0");
  app.add_option("--offset", offset_, "Of the stream's first row, with --seed. 0");
}

tl::expected<std::optional<v1::RandomStream>, Failure> StreamOptions::Read() const {
  if (seed_.empty()) {
    for (const auto& [option, text] :
         {std::pair{"--subsequence", subsequence_}, std::pair{"--offset", offset_}}) {
      if (!text.empty()) return WrongUsage(std::string(option) + " needs --seed");
    }
    return std::nullopt;
  }
  v1::RandomStream stream;
  const auto seed = ReadCount("--seed", seed_);
  if (!seed) return tl::unexpected(seed.error());
  stream.set_seed(*seed);
  if (!subsequence_.empty()) {
    const auto subsequence = ReadCount("--subsequence", subsequence_);
    if (!subsequence) return tl::unexpected(subsequence.error());
    stream.set_subsequence(*subsequence);
  }
  if (!offset_.empty()) {
    const auto offset = ReadCount("--offset", offset_);
    if (!offset) return tl::unexpected(offset.error());
    stream.set_offset(*offset);
  }
  return stream;
}

}  // namespace gpusim::cli
