#include "server/metrics/endpoint.h"

#include <exception>
#include <utility>
#include <vector>

#include <CivetServer.h>
#include <prometheus/collectable.h>
#include <prometheus/exposer.h>

#include "server/metrics/families.h"

namespace gpusim::metrics {
namespace {

class ServerMetrics final : public prometheus::Collectable {
 public:
  explicit ServerMetrics(ReadSnapshot read) : read_(std::move(read)) {}
  std::vector<prometheus::MetricFamily> Collect() const override { return FamiliesOf(read_()); }

 private:
  const ReadSnapshot read_;
};

std::unique_ptr<prometheus::Exposer> MakeExposer(const server::ListenAddress& address) {
  CivetCallbacks callbacks;
  // A request that is none is its client's affair, and no line on our stderr.
  callbacks.log_message = [](const mg_connection*, const char*) { return 1; };
  return std::make_unique<prometheus::Exposer>(
      std::vector<std::string>{"listening_ports",
                               server::FormatListenAddress(address, address.port), "num_threads",
                               "8", "request_timeout_ms", "2000"},
      &callbacks);
}

}  // namespace

Endpoint::Endpoint(const server::ListenAddress& address, ReadSnapshot read)
    : server_metrics_(std::make_shared<ServerMetrics>(std::move(read))),
      exposer_(MakeExposer(address)),
      address_(server::FormatListenAddress(address, exposer_->GetListeningPorts().front())) {
  exposer_->RegisterCollectable(server_metrics_);
}

Endpoint::~Endpoint() = default;

tl::expected<std::unique_ptr<Endpoint>, std::string> Endpoint::Listen(
    const server::ListenAddress& address, ReadSnapshot read) {
  try {
    return std::unique_ptr<Endpoint>(new Endpoint(address, std::move(read)));
  } catch (const std::exception&) {
    // It says only that it failed.
    const std::string why = WhyNotListen(address);
    return tl::unexpected(why.empty() ? "it has no IPv4 address" : why);
  }
}

}  // namespace gpusim::metrics
