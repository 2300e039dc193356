// The port that Prometheus scrapes: /metrics over plain HTTP, by prometheus-cpp.
//
// It is for operators, and has threads of its own: what a connection there does or fails to do costs the service nothing. A
// connection that sends no request within 2 s is closed; those that wait longer than that for a thread wait in the system's
// queue.
#pragma once

#include <memory>
#include <string>

#include <tl/expected.hpp>

#include "server/config/listen_address.h"
#include "server/metrics/snapshot.h"

namespace prometheus {
class Collectable;
class Exposer;
}  // namespace prometheus

namespace gpusim::metrics {

class Endpoint {
 public:
  // Listens on an IPv4 address and port, 0 for any free one; the library that Debian ships knows no IPv6. `read` is called for
  // each scrape, by several threads at a time. The error says why nobody can listen there.
  static tl::expected<std::unique_ptr<Endpoint>, std::string> Listen(
      const server::ListenAddress& address, ReadSnapshot read);

  // Waits for the scrapes under way and for the threads, which look whether they shall end every 2 s; `read` is not called
  // after that.
  ~Endpoint();
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;

  // HOST:PORT with the port that was got.
  const std::string& address() const { return address_; }

 private:
  Endpoint(const server::ListenAddress& address, ReadSnapshot read);

  const std::shared_ptr<prometheus::Collectable> server_metrics_;  // the exposer holds it weakly
  const std::unique_ptr<prometheus::Exposer> exposer_;
  const std::string address_;
};

}  // namespace gpusim::metrics
