// The device's side of a soa::Vector: the same layout, a fixed capacity, and copies property by
// property.
#pragma once

#include <array>

#include <cuda_runtime_api.h>

#include "kernels/cuda/handles.h"
#include "kernels/soa/vector.h"

namespace gpusim::cuda {

template <class Vector>
class DeviceColumns;

// Owns one device buffer a property. The raw pointers are open to plain kernels through view().
// Copies are asynchronous on the stream given, one call a property, and only of the properties
// named; the host vector has to stay as it is until they are done.
template <class... Properties>
class DeviceColumns<soa::Vector<Properties...>> {
 public:
  using HostVector = soa::Vector<Properties...>;
  using View = soa::View<Properties...>;

  explicit DeviceColumns(std::size_t elements)
      : capacity_(soa::CapacityFor(elements)),
        memory_{MakeDeviceMemory(capacity_ * sizeof(Properties))...} {}

  std::size_t capacity() const { return capacity_; }

  // Of the first `size` elements.
  View view(std::size_t size) const {
    typename View::Columns columns = {};
    for (std::size_t p = 0; p < sizeof...(Properties); ++p) columns.first_of[p] = memory_[p].get();
    return View(columns, size, capacity_);
  }

  template <std::size_t... P>
  void CopyToDevice(const HostVector& host, const Stream& stream) const {
    (Copy<P>(memory_[P].get(), capacity_, host.template Column<P>(), host.capacity(), host.size(),
             stream),
     ...);
  }
  template <std::size_t... P>
  void CopyToHost(const HostVector& host, const Stream& stream) const {
    (Copy<P>(host.template Column<P>(), host.capacity(), memory_[P].get(), capacity_, host.size(),
             stream),
     ...);
  }

  // Sets the first `size` elements of all components of the properties named to 0.
  template <std::size_t... P>
  void Zero(std::size_t size, const Stream& stream) const {
    (ZeroOne<P>(size, stream), ...);
  }

 private:
  template <std::size_t P>
  void ZeroOne(std::size_t size, const Stream& stream) const {
    constexpr std::size_t kScalar = sizeof(soa::ScalarAt<P, Properties...>);
    if (size == 0) return;
    CheckCuda(cudaMemset2DAsync(memory_[P].get(), capacity_ * kScalar, 0, size * kScalar,
                                soa::kComponentsAt<P, Properties...>, stream.get()));
  }

  // The components of a property are rows of a pitched copy: `size` scalars wide, a capacity apart.
  template <std::size_t P>
  static void Copy(void* to, std::size_t to_capacity, const void* from, std::size_t from_capacity,
                   std::size_t size, const Stream& stream) {
    constexpr std::size_t kScalar = sizeof(soa::ScalarAt<P, Properties...>);
    if (size == 0) return;
    CheckCuda(cudaMemcpy2DAsync(to, to_capacity * kScalar, from, from_capacity * kScalar,
                                size * kScalar, soa::kComponentsAt<P, Properties...>,
                                cudaMemcpyDefault, stream.get()));
  }

  std::size_t capacity_;
  std::array<DeviceMemory, sizeof...(Properties)> memory_;
};

}  // namespace gpusim::cuda
