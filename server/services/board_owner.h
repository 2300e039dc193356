// Whose boards a server's are, and whether there are any.
#pragma once

#include <optional>

#include <grpcpp/support/status.h>

#include "server/services/board_convert.h"
#include "server/services/error_mapping.h"
#include "server/services/serving_context.h"

namespace gpusim::server {

inline BoardOwner OwnerOf(const ServingContext& context) {
  return {context.boards.options().owner, context.advertised_address.Get()};
}

// For calls that the store can not refuse itself.
inline std::optional<grpc::Status> BoardsOff(const ServingContext& context) {
  if (context.boards.options().on) return std::nullopt;
  return BoardFailed({.reason = boards::BoardError::Reason::kOff,
                      .message = "this server keeps no boards (--boards off)"});
}

}  // namespace gpusim::server
