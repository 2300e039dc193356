#include "client/cli/values.h"

#include <charconv>
#include <limits>
#include <optional>
#include <utility>

namespace gpusim::cli {
namespace {

constexpr std::string_view kDigits = "0123456789";

// A decimal number without sign as digits * 10^exponent, exactly.
struct Decimal {
  std::string digits;  // without leading and trailing zeros; empty for 0
  std::int64_t exponent = 0;
};

std::optional<std::int64_t> ParseInteger(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || text.empty()) return std::nullopt;
  return value;
}

std::optional<Decimal> ParseDecimal(std::string_view text) {
  Decimal decimal;
  if (const auto e = text.find_first_of("eE"); e != text.npos) {
    const auto exponent = ParseInteger(text.substr(e + 1));
    // Nothing that long fits anyway, and the sum below cannot overflow.
    if (!exponent || *exponent > 1'000'000 || *exponent < -1'000'000) return std::nullopt;
    decimal.exponent = *exponent;
    text = text.substr(0, e);
  }
  const auto point = text.find('.');
  const std::string_view whole = text.substr(0, point);
  const std::string_view fraction = point == text.npos ? "" : text.substr(point + 1);
  if (whole.empty() || (point != text.npos && fraction.empty())) return std::nullopt;
  decimal.digits.append(whole).append(fraction);
  if (decimal.digits.find_first_not_of(kDigits) != std::string::npos) return std::nullopt;
  decimal.exponent -= static_cast<std::int64_t>(fraction.size());

  decimal.digits.erase(0, decimal.digits.find_first_not_of('0'));
  while (!decimal.digits.empty() && decimal.digits.back() == '0') {
    decimal.digits.pop_back();
    ++decimal.exponent;
  }
  return decimal;
}

// digits * 10^exponent where that is a whole number of 64 bits.
tl::expected<std::uint64_t, std::string> ToWhole(const Decimal& decimal) {
  if (decimal.digits.empty()) return 0;
  if (decimal.exponent < 0) return tl::unexpected<std::string>("is not a whole number");
  const std::string too_large =
      "is more than " + std::to_string(std::numeric_limits<std::uint64_t>::max());
  if (decimal.exponent > 19) return tl::unexpected(too_large);
  const std::string digits =
      decimal.digits + std::string(static_cast<std::size_t>(decimal.exponent), '0');
  std::uint64_t value = 0;
  const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (result.ec != std::errc()) return tl::unexpected(too_large);
  return value;
}

// The exponent of ten that turns the unit into nanoseconds, and a factor.
struct Unit {
  std::string_view name;
  std::int64_t exponent;
  std::uint64_t factor;
};
constexpr Unit kUnits[] = {{"ns", 0, 1}, {"us", 3, 1}, {"ms", 6, 1},
                           {"s", 9, 1},  {"m", 9, 60}, {"h", 9, 3600}};

}  // namespace

tl::expected<std::uint64_t, std::string> ParseCount(std::string_view text) {
  const auto decimal = ParseDecimal(text);
  if (!decimal) return tl::unexpected<std::string>("is not a number such as 1000 or 1e9");
  return ToWhole(*decimal);
}

tl::expected<std::chrono::nanoseconds, std::string> ParseDuration(std::string_view text) {
  const auto unit_at = text.find_first_not_of("0123456789.");
  auto decimal = ParseDecimal(text.substr(0, unit_at));
  if (!decimal) return tl::unexpected<std::string>("is not a duration such as 500ms or 10s");
  const std::string_view unit_name = unit_at == text.npos ? "" : text.substr(unit_at);
  for (const Unit& unit : kUnits) {
    if (unit.name != unit_name) continue;
    decimal->exponent += unit.exponent;
    const auto count = ToWhole(*decimal);
    constexpr std::uint64_t kLongest = 8760ull * 3600 * 1'000'000'000;
    if (decimal->digits.empty()) return tl::unexpected<std::string>("has to be more than 0");
    if (!count && decimal->exponent < 0) {
      return tl::unexpected<std::string>("is finer than a nanosecond");
    }
    if (!count || *count > kLongest / unit.factor) {
      return tl::unexpected<std::string>("is longer than a year");
    }
    return std::chrono::nanoseconds(*count * unit.factor);
  }
  return tl::unexpected<std::string>("needs a unit of ns, us, ms, s, m or h, as in 500ms or 10s");
}

tl::expected<double, std::string> ParsePositive(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value > 0) ||
      value > std::numeric_limits<double>::max()) {
    return tl::unexpected<std::string>("is not a positive number such as 0.001 or 1e-6");
  }
  return value;
}

tl::expected<CellOffset, std::string> ParseOffset(std::string_view text) {
  const auto comma = text.find(',');
  const auto x = ParseInteger(text.substr(0, comma));
  const auto y = comma == text.npos ? std::nullopt : ParseInteger(text.substr(comma + 1));
  if (!x || !y) return tl::unexpected<std::string>("is not X,Y such as 10,-3");
  return CellOffset{*x, *y};
}

}  // namespace gpusim::cli
