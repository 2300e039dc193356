#include "server/config/injected_fault.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace gpusim::server {
namespace {

constexpr std::array<std::string_view, 4> kKinds{"sticky", "recoverable", "hang", "slow"};

std::optional<std::uint64_t> ParseCount(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

std::optional<InjectedFault> ParseInjectedFault(std::string_view text) {
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos) return std::nullopt;
  const auto kind = std::find(kKinds.begin(), kKinds.end(), text.substr(0, at));
  if (kind == kKinds.end()) return std::nullopt;
  const std::string_view rest = text.substr(at + 1);
  const std::size_t colon = rest.find(':');
  const auto batches = ParseCount(rest.substr(0, colon));
  if (!batches) return std::nullopt;
  InjectedFault fault{.kind = static_cast<InjectedFaultKind>(kind - kKinds.begin()),
                      .after_batches = *batches,
                      .device = {}};
  if (colon == std::string_view::npos) return fault;
  const auto device = ParseCount(rest.substr(colon + 1));
  if (!device) return std::nullopt;
  fault.device = *device;
  return fault;
}

std::string FormatInjectedFault(const InjectedFault& fault) {
  std::string text(kKinds[static_cast<std::size_t>(fault.kind)]);
  text += "@" + std::to_string(fault.after_batches);
  if (fault.device) text += ":" + std::to_string(*fault.device);
  return text;
}

}  // namespace gpusim::server
