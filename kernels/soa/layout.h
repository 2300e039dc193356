// Structure of arrays: where a number lies.
//
// Every property of an element has a buffer of its own. A property may be a scalar (float), a
// vector (float[2]) or a tensor (float[2][2]); its components are numbered row-major, and component
// k of element i lies at k * capacity + i, so that neighbouring threads, which take neighbouring
// elements, read neighbouring words:
//
//   float[2], 100 elements, capacity 128:
//
//   byte 0x000                        0x190        0x200                        0x390        0x400
//        +-----------------------------+------------+-----------------------------+------------+
//        | x of 0, x of 1, ... x of 99 |   spare    | y of 0, y of 1, ... y of 99 |   spare    |
//        +-----------------------------+------------+-----------------------------+------------+
//
// The layout follows OpenFPM's plain arrays (documentation, "GPU CUDA inter-operability with plain
// arrays").
#pragma once

#include <bit>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include "kernels/rules/host_device.h"

namespace gpusim::soa {

template <class Property>
using Scalar = std::remove_all_extents_t<Property>;

template <class Property>
inline constexpr std::size_t kComponents = sizeof(Property) / sizeof(Scalar<Property>);

template <std::size_t P, class... Properties>
using ScalarAt = Scalar<std::tuple_element_t<P, std::tuple<Properties...>>>;

template <std::size_t P, class... Properties>
inline constexpr std::size_t kComponentsAt =
    kComponents<std::tuple_element_t<P, std::tuple<Properties...>>>;

// Position of a component within its property's buffer, in scalars.
GPUSIM_HOST_DEVICE constexpr std::size_t IndexOf(std::size_t element, std::size_t component,
                                                 std::size_t capacity) {
  return component * capacity + element;
}

// Growth doubles: the capacity is the next power of two, so n appends cost O(n).
constexpr std::size_t CapacityFor(std::size_t elements) { return std::bit_ceil(elements); }

// Pointers to the buffers, the number of elements in use, the capacity. Does not own; trivially
// copyable, so a kernel takes it by value. Valid on the side (host or device) that its pointers
// belong to.
template <class... Properties>
class View {
 public:
  static constexpr std::size_t kProperties = sizeof...(Properties);

  // std::array's members are not for device code: a plain struct in its place.
  struct Columns {
    void* first_of[kProperties];
  };

  View() = default;
  GPUSIM_HOST_DEVICE View(const Columns& columns, std::size_t size, std::size_t capacity)
      : columns_(columns), size_(size), capacity_(capacity) {}

  // First element of one component of property P.
  template <std::size_t P>
  GPUSIM_HOST_DEVICE ScalarAt<P, Properties...>* Column(std::size_t component = 0) const {
    return static_cast<ScalarAt<P, Properties...>*>(columns_.first_of[P]) + component * capacity_;
  }
  template <std::size_t P>
  GPUSIM_HOST_DEVICE ScalarAt<P, Properties...>& At(std::size_t element,
                                                    std::size_t component = 0) const {
    return static_cast<ScalarAt<P, Properties...>*>(
        columns_.first_of[P])[IndexOf(element, component, capacity_)];
  }

  GPUSIM_HOST_DEVICE std::size_t size() const { return size_; }
  GPUSIM_HOST_DEVICE std::size_t capacity() const { return capacity_; }

 private:
  Columns columns_ = {};
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace gpusim::soa
