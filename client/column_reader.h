// Columns of a reply as vectors.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <gpusim/result.h>

namespace gpusim {

// Columns are little-endian, and so is every machine that this runs on.
static_assert(std::endian::native == std::endian::little);

// Reads columns; the first one with a wrong length is remembered.
class ColumnReader {
 public:
  explicit ColumnReader(std::size_t rows) : rows_(rows) {}

  template <class T>
  void Read(const char* name, const std::string& bytes, std::size_t components,
            std::vector<T>& column) {
    if (bytes.empty()) return;
    const std::size_t expected = components * rows_ * sizeof(T);
    if (bytes.size() != expected) {
      if (fault_.empty()) {
        fault_ = std::string("the reply's column ") + name + " has " +
                 std::to_string(bytes.size()) + " bytes, not " + std::to_string(expected);
      }
      return;
    }
    column.resize(components * rows_);
    std::memcpy(column.data(), bytes.data(), bytes.size());
  }

  const std::string& fault() const { return fault_; }

 private:
  const std::size_t rows_;
  std::string fault_;
};

inline Error BadReply(std::string message) {
  return Error{.code = StatusCode::kInternal, .message = std::move(message)};
}

}  // namespace gpusim
