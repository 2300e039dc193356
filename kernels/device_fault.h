// How a backend says that a device failed.
#pragma once

#include <string>

#include <tl/expected.hpp>

namespace gpusim {

// A device failed. After a sticky fault the process can not use the device any more.
struct DeviceFault {
  std::string what;
  bool sticky = false;
};

template <class T>
using DeviceResult = tl::expected<T, DeviceFault>;

}  // namespace gpusim
