#include "server/services/board_creator.h"

#include "server/services/error_mapping.h"

namespace gpusim::server {
namespace {

std::optional<grpc::Status> Judge(const Caller& caller, const std::string& what,
                                  const std::string& creator) {
  if (caller.has_token && caller.name == creator) return std::nullopt;
  return BoardFailed({.reason = boards::BoardError::Reason::kForbidden,
                      .message = what +
                                 (creator.empty() ? " was made without a token"
                                                  : " belongs to '" + creator + "'") +
                                 ", so that changing it needs the role admin"});
}

}  // namespace

std::optional<grpc::Status> BoardOfAnother(const ServingContext& context, const Caller& caller,
                                           const std::string& board) {
  if (caller.role == access::Role::kAdmin) return std::nullopt;
  const auto status = context.boards.Get(board);
  if (!status) return std::nullopt;
  return Judge(caller, "board " + status->id, status->creator);
}

std::optional<grpc::Status> SnapshotOfAnother(const ServingContext& context, const Caller& caller,
                                              const std::string& snapshot) {
  if (caller.role == access::Role::kAdmin) return std::nullopt;
  const auto info = context.boards.FindSnapshot(snapshot);
  if (!info) return std::nullopt;
  return Judge(caller, "snapshot " + info->name, info->creator);
}

}  // namespace gpusim::server
