// A fault that is made on purpose, for tests of what a server does then.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpusim::server {

enum class InjectedFaultKind : std::uint8_t {
  kSticky,       // from that batch on, every one fails as on a lost device
  kRecoverable,  // that batch fails
  kHang,         // that batch never ends
  kSlow,         // from that batch on, every one takes 100 ms longer
};

struct InjectedFault {
  InjectedFaultKind kind = InjectedFaultKind::kSticky;
  std::uint64_t after_batches = 0;    // of the device or, without one, of all together
  std::optional<std::size_t> device;  // on all where unset

  bool operator==(const InjectedFault&) const = default;
};

// "KIND@N" or "KIND@N:DEVICE", KIND one of sticky, recoverable, hang, slow; nullopt for anything else.
std::optional<InjectedFault> ParseInjectedFault(std::string_view text);
std::string FormatInjectedFault(const InjectedFault& fault);

}  // namespace gpusim::server
