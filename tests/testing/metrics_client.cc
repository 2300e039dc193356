#include "tests/testing/metrics_client.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

namespace gpusim::testing {

RawConnection::RawConnection(const std::string& address)
    : fd_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in target{};
  target.sin_family = AF_INET;
  target.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  target.sin_port =
      htons(static_cast<std::uint16_t>(std::stoi(address.substr(address.rfind(':') + 1))));
  if (connect(fd_, reinterpret_cast<const sockaddr*>(&target), sizeof(target)) == 0) return;
  const std::string why = std::strerror(errno);
  close(fd_);
  throw std::runtime_error("connect to " + address + ": " + why);
}

RawConnection::~RawConnection() {
  if (fd_ >= 0) close(fd_);
}

RawConnection::RawConnection(RawConnection&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

void RawConnection::Send(std::string_view text) {
  while (!text.empty()) {
    const ssize_t sent = send(fd_, text.data(), text.size(), MSG_NOSIGNAL);
    if (sent < 0) return;  // it was closed, as the reply will say
    text.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string RawConnection::ReadAll() {
  std::string text;
  char part[4096];
  for (ssize_t got = 0; (got = recv(fd_, part, sizeof(part), 0)) > 0;)
    text.append(part, static_cast<std::size_t>(got));
  return text;
}

std::string Scrape(const std::string& address) {
  RawConnection connection(address);
  connection.Send("GET /metrics HTTP/1.1\r\nHost: test\r\nConnection: close\r\n\r\n");
  const std::string reply = connection.ReadAll();
  const std::size_t head_end = reply.find("\r\n\r\n");
  if (!reply.starts_with("HTTP/1.1 200 ") || head_end == std::string::npos)
    throw std::runtime_error("no metrics at " + address + ": '" + reply.substr(0, 200) + "'");
  return reply.substr(head_end + 4);
}

std::map<std::string, double> SamplesOf(const std::string& text) {
  std::map<std::string, double> samples;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("# ")) continue;
    const std::size_t space = line.rfind(' ');
    char* end = nullptr;
    const double value =
        space == std::string::npos ? 0 : std::strtod(line.c_str() + space + 1, &end);
    if (end == nullptr || *end != '\0' || !samples.emplace(line.substr(0, space), value).second)
      throw std::runtime_error("not a sample, or one that is there twice: '" + line + "'");
  }
  return samples;
}

}  // namespace gpusim::testing
