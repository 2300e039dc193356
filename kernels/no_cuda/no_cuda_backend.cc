// Linked in place of the CUDA backend where this was built without a CUDA toolkit.
#include "kernels/backend.h"

namespace gpusim {

DeviceResult<std::unique_ptr<Backend>> MakeCudaBackend() {
  return tl::unexpected(DeviceFault{
      "CUDA backend unavailable: this program was built without a CUDA toolkit (12.8 or newer)"});
}

}  // namespace gpusim
