#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define GPUSIM_SANITIZED 1
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define GPUSIM_SANITIZED 1
#endif

namespace gpusim::testing {

// Whether a sanitizer is built in. It maps and keeps memory at its own will, so what a process may
// use is then not to be measured.
#ifdef GPUSIM_SANITIZED
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

}  // namespace gpusim::testing
