// Addresses are checked here because gRPC guesses where it should ask: without a port it takes 443.
#include <charconv>
#include <cstdlib>
#include <string_view>

#include <gpusim/client.h>

namespace gpusim {
namespace {

constexpr const char* kDefaultServer = "127.0.0.1:50051";

bool IsPort(std::string_view text) {
  unsigned port = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
  return error == std::errc() && end == text.data() + text.size() && port >= 1 && port <= 65535;
}

}  // namespace

std::string ResolveServer(const std::string& server) {
  if (!server.empty()) return server;
  const char* from_environment = std::getenv("GPUSIM_SERVER");
  if (from_environment != nullptr && *from_environment != '\0') return from_environment;
  return kDefaultServer;
}

std::string ServerAddressFault(const std::string& server) {
  const std::string_view text = server;
  if (text.starts_with("unix:")) return text.size() > 5 ? "" : "a path has to follow unix:";
  if (text.find("://") != text.npos) return "";  // a target of gRPC's own, which knows better
  const auto colon = text.rfind(':');
  if (colon == text.npos || colon == 0) return "it has to be HOST:PORT or unix:PATH";
  const std::string_view host = text.substr(0, colon);
  const bool bracketed = host.starts_with('[') && host.ends_with(']');
  if (!bracketed && host.find(':') != host.npos)
    return "an IPv6 address has to be in brackets: [::1]:50051";
  if (host.find_first_of(" \t/") != host.npos) return "it has to be HOST:PORT or unix:PATH";
  if (!IsPort(text.substr(colon + 1))) return "the port has to be a number from 1 to 65535";
  return "";
}

}  // namespace gpusim
