#include "server/boards/board_names.h"

#include <algorithm>
#include <utility>

namespace gpusim::boards {
namespace {

constexpr std::size_t kMaxOwnerLength = 255;  // of a host's name

// Not isalnum, which asks the locale.
bool IsAlphanumeric(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

}  // namespace

bool IsName(std::string_view name, std::size_t max_length) {
  return !name.empty() && name.size() <= max_length && IsAlphanumeric(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [](char c) { return IsAlphanumeric(c) || c == '.' || c == '_' || c == '-'; });
}

Result<std::string> IdOf(std::string_view name, std::string_view owner, const char* field,
                         std::size_t max_length) {
  std::string_view id = name;
  if (const std::size_t slash = name.find('/'); slash != std::string_view::npos) {
    const std::string_view named = name.substr(0, slash);
    id = name.substr(slash + 1);
    if (IsName(id, max_length) && IsName(named, kMaxOwnerLength) && named != owner) {
      BoardError elsewhere{.reason = BoardError::Reason::kElsewhere,
                           .message = std::string(name) + " belongs to the server " +
                                      std::string(named) + ", this is " + std::string(owner)};
      elsewhere.owner = named;
      return tl::unexpected(std::move(elsewhere));
    }
    if (named != owner) id = {};
  }
  if (IsName(id, max_length)) return std::string(id);
  return RefuseInput(field, std::string(name),
                     "1 to " + std::to_string(max_length) +
                         " letters, digits, '.', '_' or '-', the first a letter or digit");
}

std::string Bytes(std::uint64_t bytes) { return std::to_string(bytes) + " bytes"; }

tl::unexpected<BoardError> Refuse(BoardError::Reason reason, std::string message) {
  return tl::unexpected(BoardError{.reason = reason, .message = std::move(message)});
}

tl::unexpected<BoardError> RefuseInput(std::string field, std::string value, std::string rule) {
  BoardError error{.reason = BoardError::Reason::kBadInput,
                   .message = field + " is '" + value + "': " + rule};
  error.violations.push_back({std::move(field), std::move(value), std::move(rule)});
  return tl::unexpected(std::move(error));
}

BoardError UnknownBoard(std::string_view id) {
  return {.reason = BoardError::Reason::kUnknown,
          .message = "there is no board " + std::string(id)};
}

}  // namespace gpusim::boards
