// A growing host vector in the layout of layout.h.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <memory_resource>
#include <utility>

#include "kernels/soa/layout.h"

namespace gpusim::soa {

// Owns one buffer a property, taken from the memory resource given (pinned memory, for instance),
// which has to outlive it. New elements are not initialised. Properties have to be trivially
// copyable. Not thread-safe.
template <class... Properties>
class Vector {
  static_assert((std::is_trivially_copyable_v<Properties> && ...));

 public:
  static constexpr std::size_t kProperties = sizeof...(Properties);
  using ViewType = View<Properties...>;
  using Columns = typename ViewType::Columns;

  explicit Vector(std::pmr::memory_resource* memory = std::pmr::get_default_resource())
      : memory_(memory) {}
  Vector(Vector&& other) noexcept
      : memory_(other.memory_),
        columns_(std::exchange(other.columns_, {})),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Vector& operator=(Vector&& other) noexcept {
    std::swap(memory_, other.memory_);
    std::swap(columns_, other.columns_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  ~Vector() { Free(); }

  // Makes room for `elements`; what is there stays. Throws what the memory resource throws and is
  // unchanged then.
  void Reserve(std::size_t elements) {
    if (elements > capacity_) Grow(CapacityFor(elements));
  }
  // Never gives memory back; elements beyond the old size are not initialised.
  void Resize(std::size_t elements) {
    Reserve(elements);
    size_ = elements;
  }
  void Clear() { size_ = 0; }
  // Adds one element and returns its index.
  std::size_t Append() {
    Resize(size_ + 1);
    return size_ - 1;
  }

  std::size_t size() const { return size_; }
  std::size_t capacity() const { return capacity_; }
  std::pmr::memory_resource* memory() const { return memory_; }

  ViewType view() const { return ViewType(columns_, size_, capacity_); }
  template <std::size_t P>
  ScalarAt<P, Properties...>& At(std::size_t element, std::size_t component = 0) const {
    return view().template At<P>(element, component);
  }
  template <std::size_t P>
  ScalarAt<P, Properties...>* Column(std::size_t component = 0) const {
    return view().template Column<P>(component);
  }

 private:
  static constexpr std::array<std::size_t, kProperties> kElementBytes{sizeof(Properties)...};
  static constexpr std::array<std::size_t, kProperties> kScalarBytes{sizeof(Scalar<Properties>)...};
  static constexpr std::size_t kAlignment = 256;  // of a device's widest coalesced access

  void Grow(std::size_t capacity) {
    Columns grown = {};
    try {
      for (std::size_t p = 0; p < kProperties; ++p)
        grown.first_of[p] = memory_->allocate(capacity * kElementBytes[p], kAlignment);
    } catch (...) {
      Release(grown, capacity);
      throw;
    }
    for (std::size_t p = 0; p < kProperties; ++p) CopyComponents(p, grown.first_of[p], capacity);
    Free();
    columns_ = grown;
    capacity_ = capacity;
  }

  void CopyComponents(std::size_t p, void* grown, std::size_t capacity) const {
    if (size_ == 0) return;
    const std::size_t scalar = kScalarBytes[p];
    for (std::size_t k = 0; k < kElementBytes[p] / scalar; ++k) {
      std::memcpy(static_cast<char*>(grown) + k * capacity * scalar,
                  static_cast<const char*>(columns_.first_of[p]) + k * capacity_ * scalar,
                  size_ * scalar);
    }
  }

  void Release(const Columns& columns, std::size_t capacity) {
    for (std::size_t p = 0; p < kProperties; ++p) {
      if (columns.first_of[p] != nullptr)
        memory_->deallocate(columns.first_of[p], capacity * kElementBytes[p], kAlignment);
    }
  }
  void Free() { Release(columns_, capacity_); }

  std::pmr::memory_resource* memory_;
  Columns columns_ = {};
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

}  // namespace gpusim::soa
