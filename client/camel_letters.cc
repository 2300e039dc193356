#include "client/camel_letters.h"

#include <algorithm>
#include <array>

namespace gpusim {
namespace {

constexpr std::array kFirstCamels{Camel::kBlue, Camel::kGreen, Camel::kOrange, Camel::kYellow,
                                  Camel::kWhite};
constexpr std::array kSecondCamels{Camel::kRed,       Camel::kBlue,   Camel::kGreen,
                                   Camel::kYellow,    Camel::kPurple, Camel::kCrazyWhite,
                                   Camel::kCrazyBlack};
constexpr std::array kFirstDice{Die::kBlue, Die::kGreen, Die::kOrange, Die::kYellow, Die::kWhite};
constexpr std::array kSecondDice{Die::kRed,    Die::kBlue,   Die::kGreen,
                                 Die::kYellow, Die::kPurple, Die::kGrey};

constexpr char LowerCase(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; }

std::optional<std::size_t> Find(std::string_view letters, char letter) {
  for (std::size_t i = 0; i < letters.size(); ++i) {
    if (LowerCase(letters[i]) == LowerCase(letter)) return i;
  }
  return std::nullopt;
}

template <class T>
std::optional<std::size_t> Find(std::span<const T> all, T one) {
  const auto found = std::find(all.begin(), all.end(), one);
  if (found == all.end()) return std::nullopt;
  return static_cast<std::size_t>(found - all.begin());
}

}  // namespace

std::span<const Camel> CamelsOf(Edition edition) {
  if (edition == Edition::kFirst) return kFirstCamels;
  return kSecondCamels;
}

std::string_view CamelLetters(Edition edition) {
  return edition == Edition::kFirst ? "BGOYW" : "rbgypwk";
}

std::span<const Die> DiceOf(Edition edition) {
  if (edition == Edition::kFirst) return kFirstDice;
  return kSecondDice;
}

std::string_view DieLetters(Edition edition) {
  return edition == Edition::kFirst ? "BGOYW" : "rbgyp*";
}

std::optional<std::size_t> CamelIndex(Edition edition, char letter) {
  return Find(CamelLetters(edition), letter);
}

std::optional<std::size_t> CamelIndex(Edition edition, Camel camel) {
  return Find(CamelsOf(edition), camel);
}

std::optional<std::size_t> DieIndex(Edition edition, char letter) {
  return Find(DieLetters(edition), letter);
}

std::optional<std::size_t> DieIndex(Edition edition, Die die) { return Find(DiceOf(edition), die); }

}  // namespace gpusim
