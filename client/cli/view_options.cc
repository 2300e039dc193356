#include "client/cli/view_options.h"

#include <CLI/CLI.hpp>

#include "client/cli/life_options.h"

namespace gpusim::cli {

ViewOptions::ViewOptions(CLI::App& app) {
  app.add_option("--region", region_, "X,Y,W,H of the cells to show. The whole board");
  app.add_option("--cell", cell_,
                 "Side of the square of cells that becomes one shade. As the terminal needs it");
}

tl::expected<void, Failure> ViewOptions::Fill(v1::WatchBoardRequest& request) const {
  const auto region = ReadValue("--region", region_, ParseRegion);
  if (!region) return tl::unexpected(region.error());
  if (*region) *request.mutable_region() = **region;
  if (cell_.empty()) return {};
  const auto cell = ParseCount(cell_);
  constexpr std::uint64_t kMostCell = 65536;
  if (!cell || *cell < 1 || *cell > kMostCell)
    return WrongUsage("--cell '" + Printable(cell_) + "' is not from 1 to 65536");
  request.set_density_cell(static_cast<std::uint32_t>(*cell));
  return {};
}

tl::expected<std::optional<double>, Failure> ReadRate(const std::string& text) {
  const auto rate = ReadValue("--rate", text, ParsePositive);
  if (!rate) return tl::unexpected(rate.error());
  constexpr double kLeast = 0.01;
  constexpr double kMost = 120;
  if (*rate && (**rate < kLeast || **rate > kMost))
    return WrongUsage("--rate '" + Printable(text) + "' is not from 0.01 to 120");
  return *rate;
}

}  // namespace gpusim::cli
