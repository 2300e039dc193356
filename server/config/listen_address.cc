#include "server/config/listen_address.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <memory>

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace gpusim::server {
namespace {

constexpr std::string_view kUnixScheme = "unix:";
constexpr std::size_t kMaxUnixPath = sizeof(sockaddr_un::sun_path) - 1;

class Socket {
 public:
  explicit Socket(int family) : fd_(socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  ~Socket() {
    if (fd_ >= 0) close(fd_);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;

  int fd() const { return fd_; }

 private:
  int fd_;
};

std::optional<std::uint16_t> ParsePort(std::string_view text) {
  std::uint16_t port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return port;
}

std::string WhyNotUnix(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, kMaxUnixPath);
  const Socket socket(AF_UNIX);
  if (connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0)
    return "another process listens there";
  return {};
}

std::string WhyNotBind(const addrinfo& target) {
  const Socket socket(target.ai_family);
  if (socket.fd() < 0) return std::strerror(errno);
  // As gRPC does: a port whose last owner has just gone is free.
  const int on = 1;
  setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (bind(socket.fd(), target.ai_addr, target.ai_addrlen) != 0 || listen(socket.fd(), 1) != 0)
    return std::strerror(errno);
  return {};
}

std::string WhyNotHost(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  const int error =
      getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found);
  if (error != 0) return gai_strerror(error);
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> guard(found, freeaddrinfo);
  std::string why;
  for (const addrinfo* target = found; target != nullptr; target = target->ai_next) {
    why = WhyNotBind(*target);
    if (why.empty()) return {};
  }
  return why;
}

}  // namespace

bool ListenAddress::IsLocal() const {
  if (IsUnix() || host == "localhost") return true;
  in6_addr v6{};
  if (inet_pton(AF_INET6, host.c_str(), &v6) == 1) return IN6_IS_ADDR_LOOPBACK(&v6);
  in_addr v4{};
  return inet_pton(AF_INET, host.c_str(), &v4) == 1 && ntohl(v4.s_addr) >> 24 == 127;
}

std::optional<ListenAddress> ParseListenAddress(std::string_view text) {
  ListenAddress address;
  if (text.starts_with(kUnixScheme)) {
    address.unix_path = text.substr(kUnixScheme.size());
    if (address.unix_path.empty() || address.unix_path.size() > kMaxUnixPath) return std::nullopt;
    return address;
  }
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  std::string_view host = text.substr(0, colon);
  const bool brackets = host.size() > 2 && host.front() == '[' && host.back() == ']';
  if (brackets) host = host.substr(1, host.size() - 2);
  const bool has_colon = host.find(':') != std::string_view::npos;
  if (has_colon != brackets || host.find_first_of("[]/ ") != std::string_view::npos)
    return std::nullopt;
  const auto port = ParsePort(text.substr(colon + 1));
  if (!port) return std::nullopt;
  address.host = host;
  address.port = *port;
  return address;
}

std::string FormatListenAddress(const ListenAddress& address, int port) {
  if (address.IsUnix()) return std::string(kUnixScheme) + address.unix_path;
  const bool v6 = address.host.find(':') != std::string::npos;
  return (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(port);
}

std::string WhyNotListen(const ListenAddress& address) {
  return address.IsUnix() ? WhyNotUnix(address.unix_path) : WhyNotHost(address);
}

}  // namespace gpusim::server
