// The letters of positions, and their order, which is that of columns and answers.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include <gpusim/camel_up.h>

namespace gpusim {

constexpr std::size_t kRacers = 5;

// The racing camels first, then the crazy ones: B G O Y W; r b g y p w k.
std::span<const Camel> CamelsOf(Edition edition);
std::string_view CamelLetters(Edition edition);

// The grey one last: B G O Y W; r b g y p *.
std::span<const Die> DiceOf(Edition edition);
std::string_view DieLetters(Edition edition);

// The place in that order, by the letter in either case or by name; nothing for what the edition
// does not have.
std::optional<std::size_t> CamelIndex(Edition edition, char letter);
std::optional<std::size_t> CamelIndex(Edition edition, Camel camel);
std::optional<std::size_t> DieIndex(Edition edition, char letter);
std::optional<std::size_t> DieIndex(Edition edition, Die die);

}  // namespace gpusim
