// Addresses to listen on: HOST:PORT, [IPV6]:PORT or unix:PATH.
//
// All functions are thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gpusim::server {

struct ListenAddress {
  std::string host;        // without brackets; empty for a Unix socket
  std::uint16_t port = 0;  // 0: any free one
  std::string unix_path;   // empty for a host and port

  bool IsUnix() const { return !unix_path.empty(); }
  // Nobody on another machine can reach it: a Unix socket, localhost, 127.0.0.0/8 or ::1. By the
  // text: no name is looked up.
  bool IsLocal() const;
};

// Nullopt if the text is neither form.
std::optional<ListenAddress> ParseListenAddress(std::string_view text);

// As ParseListenAddress reads it, with the port that was got.
std::string FormatListenAddress(const ListenAddress& address, int port);

// Why nobody can listen there now, in the system's words; empty if it seems possible. Opens a
// socket for a moment. gRPC itself says only that it failed, and would silently take over a Unix
// socket that another process serves.
std::string WhyNotListen(const ListenAddress& address);

}  // namespace gpusim::server
