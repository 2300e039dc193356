// Where a board goes that comes back: --output, --output-format and --scale.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include <tl/expected.hpp>

#include "client/cli/command.h"
#include "client/cli/png_writer.h"
#include "gpusim/v1/life.pb.h"

namespace CLI {
class App;
}

namespace gpusim::cli {

class BoardOutput {
 public:
  explicit BoardOutput(CLI::App& app);

  // Checks the options. Without --output, a format is only taken where `json_has_board`.
  tl::expected<void, Failure> Read(const Settings& settings, bool json_has_board);

  const std::string& path() const { return path_; }
  bool png() const { return png_; }
  std::uint32_t scale() const { return scale_; }
  // That the server shall send; nothing when no board was asked for.
  std::optional<v1::OutputFormat> format() const { return format_; }

 private:
  tl::expected<void, Failure> ReadFormat(const Settings& settings, bool json_has_board);

  std::string path_;
  std::string format_text_;
  std::string scale_text_;
  std::optional<v1::OutputFormat> format_;
  bool png_ = false;
  std::uint32_t scale_ = 1;
};

// Of a board that is there as a whole. Errors are lines for people.
tl::expected<void, std::string> WritePng(const std::string& path, const PngShape& shape,
                                         std::string_view rows, const Console& console);

}  // namespace gpusim::cli
