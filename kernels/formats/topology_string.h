// Bounded grids as people write them: `torus:64x48`, `plane:auto`, and Golly's suffix `:T64,48`.
//
// All functions are pure and thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "kernels/formats/text_error.h"
#include "kernels/life.h"

namespace gpusim::formats {

// Width and height are 1 to 2^32 - 1. That is a claim: nothing of that size has been allocated.
struct BoundedGrid {
  life::Topology topology = life::Topology::kPlane;
  std::uint32_t width = 0;
  std::uint32_t height = 0;

  friend bool operator==(const BoundedGrid&, const BoundedGrid&) = default;
};

// `torus:WxH` or `plane:WxH`; nullopt is `plane:auto`, a plane as large as the pattern can grow.
// Either case. Surfaces that are not served (Klein bottle and so on) are errors that name them.
tl::expected<std::optional<BoundedGrid>, TextError> ParseTopology(std::string_view text);
std::string FormatTopology(const std::optional<BoundedGrid>& grid);

// The part behind the colon of a rule string such as `B3/S23:T100,200`: T is a torus, P a plane,
// either case. Golly's other surfaces, shifted edges and infinite sides (0) are errors that name
// them.
tl::expected<BoundedGrid, TextError> ParseGridSuffix(std::string_view text);
std::string FormatGridSuffix(const BoundedGrid& grid);  // "T100,200"

}  // namespace gpusim::formats
