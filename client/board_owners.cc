#include "client/board_owners.h"

namespace gpusim {

ProtoClient::Connection* ProtoBoards::Owners::At(const std::string& address) {
  if (!ServerAddressFault(address).empty()) return nullptr;
  const std::lock_guard lock(mutex_);
  auto& connection = owners_[address];
  if (connection == nullptr) {
    ClientOptions options = own_.options();
    options.server = address;
    connection = std::make_unique<ProtoClient::Connection>(std::move(options), own_.credentials());
  }
  return connection.get();
}

}  // namespace gpusim
