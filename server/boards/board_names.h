// Names of boards and snapshots, and what is said where one does not fit. A name is a file's name too: what the rule lets
// through never leaves its folder.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "server/boards/board_types.h"

namespace gpusim::boards {

inline constexpr std::size_t kMaxNameLength = 63;
// Of the snapshots that the store names itself: a board's ID and ".expired", or "-" and its generation.
inline constexpr std::size_t kMaxSnapshotNameLength = kMaxNameLength + 1 + 20;

// 1 to `max_length` of A-Z a-z 0-9 . _ -, the first a letter or digit.
bool IsName(std::string_view name, std::size_t max_length = kMaxNameLength);

// The ID of "ID" or "OWNER/ID"; kElsewhere where OWNER is not `owner`, kBadInput where it is no name. `field` is what a
// violation calls it.
Result<std::string> IdOf(std::string_view name, std::string_view owner, const char* field,
                         std::size_t max_length = kMaxNameLength);

// "4096 bytes".
std::string Bytes(std::uint64_t bytes);

tl::unexpected<BoardError> Refuse(BoardError::Reason reason, std::string message);
tl::unexpected<BoardError> RefuseInput(std::string field, std::string value, std::string rule);
BoardError UnknownBoard(std::string_view id);

}  // namespace gpusim::boards
