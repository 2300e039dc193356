// The values of the options about Life, from text, as values.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <tl/expected.hpp>

#include "client/cli/values.h"
#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

// "64x64", each 1 to 2^32 - 1.
struct BoardSize {
  std::uint32_t width = 0;
  std::uint32_t height = 0;
};
tl::expected<BoardSize, std::string> ParseSize(std::string_view text);

// The size in "torus:64x64" or "plane:64x64".
tl::expected<BoardSize, std::string> SizeOfTopology(std::string_view topology);

// "X,Y,W,H"
tl::expected<v1::Region, std::string> ParseRegion(std::string_view text);

// "extinct", "still", "period<=4", "population<=10", "population>=10".
tl::expected<v1::Until, std::string> ParseUntil(std::string_view text);

// "0.375": 0 to 1.
tl::expected<double, std::string> ParseDensity(std::string_view text);

// "box,changes,digest,shape-digest,hash"
tl::expected<std::vector<v1::Fact>, std::string> ParseFacts(std::string_view text);

// Whole seconds, rounded up: "1h", "90s"; "none" is 0.
tl::expected<std::uint32_t, std::string> ParseLease(std::string_view text);

}  // namespace gpusim::cli
