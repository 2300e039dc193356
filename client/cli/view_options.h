// What of a board is shown: --region and --cell.
#pragma once

#include <optional>
#include <string>

#include <tl/expected.hpp>

#include "client/cli/command.h"
#include "gpusim/v1/life.pb.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

class ViewOptions {
 public:
  explicit ViewOptions(CLI::App& app);
  tl::expected<void, Failure> Fill(v1::WatchBoardRequest& request) const;

 private:
  std::string region_;
  std::string cell_;
};

// --rate: 0.01 to 120 a second.
tl::expected<std::optional<double>, Failure> ReadRate(const std::string& text);

}  // namespace gpusim::cli
