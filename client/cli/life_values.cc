#include "client/cli/life_values.h"

#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>

namespace gpusim::cli {
namespace {

std::optional<std::uint32_t> ParseWord(std::string_view text) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto comma = text.find(',');
    parts.push_back(text.substr(0, comma));
    if (comma == text.npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

// What follows the prefix as a number; nothing when it does not begin so.
std::optional<tl::expected<std::uint64_t, std::string>> BoundAfter(std::string_view text,
                                                                   std::string_view prefix) {
  if (!text.starts_with(prefix)) return std::nullopt;
  return ParseCount(text.substr(prefix.size()));
}

struct FactName {
  std::string_view name;
  v1::Fact fact;
};
constexpr FactName kFacts[] = {{"changes", v1::FACT_CHANGES},
                               {"box", v1::FACT_BOX},
                               {"digest", v1::FACT_DIGEST},
                               {"shape-digest", v1::FACT_SHAPE_DIGEST},
                               {"hash", v1::FACT_HASH}};

}  // namespace

tl::expected<BoardSize, std::string> ParseSize(std::string_view text) {
  const auto cross = text.find('x');
  const auto width = ParseWord(text.substr(0, cross));
  const auto height = cross == text.npos ? std::nullopt : ParseWord(text.substr(cross + 1));
  if (!width || !height || *width == 0 || *height == 0)
    return tl::unexpected<std::string>("is not WxH such as 64x64");
  return BoardSize{*width, *height};
}

tl::expected<BoardSize, std::string> SizeOfTopology(std::string_view topology) {
  const auto colon = topology.find(':');
  const auto size = colon == topology.npos ? tl::unexpected(std::string())
                                           : ParseSize(topology.substr(colon + 1));
  if (!size) return tl::unexpected<std::string>("has no size such as torus:64x64");
  return *size;
}

tl::expected<v1::Region, std::string> ParseRegion(std::string_view text) {
  const auto parts = Split(text);
  std::uint32_t numbers[4] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto number = i < parts.size() ? ParseWord(parts[i]) : std::nullopt;
    if (!number || parts.size() != 4)
      return tl::unexpected<std::string>("is not X,Y,W,H such as 0,0,640,480");
    numbers[i] = *number;
  }
  if (numbers[2] == 0 || numbers[3] == 0)
    return tl::unexpected<std::string>("has no cells; width and height are at least 1");
  v1::Region region;
  region.set_x(numbers[0]);
  region.set_y(numbers[1]);
  region.set_width(numbers[2]);
  region.set_height(numbers[3]);
  return region;
}

tl::expected<v1::Until, std::string> ParseUntil(std::string_view text) {
  v1::Until until;
  if (text == "extinct") {
    until.set_extinct(true);
    return until;
  }
  if (text == "still") {
    until.set_still(true);
    return until;
  }
  constexpr std::uint64_t kLongestPeriod = 4096;
  if (const auto bound = BoundAfter(text, "period<=")) {
    if (!*bound) return tl::unexpected(bound->error());
    if (**bound < 1 || **bound > kLongestPeriod)
      return tl::unexpected<std::string>("has a period that is not from 1 to 4096");
    until.set_period_at_most(static_cast<std::uint32_t>(**bound));
    return until;
  }
  if (const auto bound = BoundAfter(text, "population<=")) {
    if (!*bound) return tl::unexpected(bound->error());
    until.set_population_at_most(**bound);
    return until;
  }
  if (const auto bound = BoundAfter(text, "population>=")) {
    if (!*bound) return tl::unexpected(bound->error());
    until.set_population_at_least(**bound);
    return until;
  }
  return tl::unexpected<std::string>(
      "is unknown; pass extinct, still, 'period<=4', 'population<=10' or 'population>=10'");
}

tl::expected<double, std::string> ParseDensity(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0 && value <= 1))
    return tl::unexpected<std::string>("is not a density from 0 to 1 such as 0.375");
  return value;
}

tl::expected<std::vector<v1::Fact>, std::string> ParseFacts(std::string_view text) {
  std::vector<v1::Fact> facts;
  for (const std::string_view part : Split(text)) {
    std::optional<v1::Fact> found;
    for (const FactName& known : kFacts) {
      if (known.name == part) found = known.fact;
    }
    if (!found) {
      return tl::unexpected<std::string>(
          "has an unknown fact; pass some of box,changes,digest,shape-digest,hash");
    }
    facts.push_back(*found);
  }
  return facts;
}

tl::expected<std::uint32_t, std::string> ParseLease(std::string_view text) {
  if (text == "none") return 0;
  const auto duration = ParseDuration(text);
  if (!duration) return tl::unexpected(duration.error());
  return static_cast<std::uint32_t>(std::chrono::ceil<std::chrono::seconds>(*duration).count());
}

}  // namespace gpusim::cli
