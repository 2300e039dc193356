// Reads a server's metrics as Prometheus does, and as clients do that behave worse.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace gpusim::testing {

// A TCP connection to "127.0.0.1:PORT". Throws std::runtime_error if there is nobody.
class RawConnection {
 public:
  explicit RawConnection(const std::string& address);
  ~RawConnection();
  RawConnection(RawConnection&& other) noexcept;
  RawConnection(const RawConnection&) = delete;
  RawConnection& operator=(const RawConnection&) = delete;

  void Send(std::string_view text);
  // Until the other side closes.
  std::string ReadAll();

 private:
  int fd_;
};

// The text at /metrics. Throws std::runtime_error if there is none.
std::string Scrape(const std::string& address);

// The samples of such a text: "name{label="value"}" to number. Throws std::runtime_error on a line that is none.
std::map<std::string, double> SamplesOf(const std::string& text);

}  // namespace gpusim::testing
