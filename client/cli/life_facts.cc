#include "client/cli/life_facts.h"

#include <algorithm>
#include <cstdio>

#include "client/cli/text.h"

namespace gpusim::cli {
namespace {

bool Has(const std::vector<v1::Fact>& facts, v1::Fact fact) {
  return std::find(facts.begin(), facts.end(), fact) != facts.end();
}

void Append(std::vector<std::string>& to, std::vector<std::string> more) {
  for (std::string& text : more) to.push_back(std::move(text));
}

}  // namespace

std::vector<std::string> FactColumns(const std::vector<v1::Fact>& facts) {
  std::vector<std::string> columns = {"generation", "population"};
  if (Has(facts, v1::FACT_CHANGES)) Append(columns, {"births", "deaths"});
  if (Has(facts, v1::FACT_BOX)) Append(columns, {"box_x", "box_y", "box_width", "box_height"});
  if (Has(facts, v1::FACT_DIGEST)) Append(columns, {"digest"});
  if (Has(facts, v1::FACT_SHAPE_DIGEST)) Append(columns, {"shape_digest"});
  if (Has(facts, v1::FACT_HASH)) Append(columns, {"hash"});
  return columns;
}

std::vector<std::string> FactValues(const v1::BoardFacts& row, const std::vector<v1::Fact>& facts) {
  std::vector<std::string> values = {std::to_string(row.generation()),
                                     std::to_string(row.population())};
  if (Has(facts, v1::FACT_CHANGES))
    Append(values, {std::to_string(row.births()), std::to_string(row.deaths())});
  if (Has(facts, v1::FACT_BOX)) {
    const v1::Region& box = row.box();
    for (const std::uint32_t number : {box.x(), box.y(), box.width(), box.height()})
      values.push_back(row.has_box() ? std::to_string(number) : "");
  }
  if (Has(facts, v1::FACT_DIGEST)) values.push_back(Printable(row.digest()));
  if (Has(facts, v1::FACT_SHAPE_DIGEST)) values.push_back(Printable(row.shape_digest()));
  if (Has(facts, v1::FACT_HASH)) values.push_back(Printable(row.hash()));
  return values;
}

std::string FactsTable(const std::vector<v1::BoardFacts>& rows,
                       const std::vector<v1::Fact>& facts) {
  const std::vector<std::string> columns = FactColumns(facts);
  TextTable table(std::vector<TextTable::Align>(columns.size(), TextTable::Align::kRight));
  const auto add = [&](const std::vector<std::string>& texts) {
    std::vector<TextTable::Cell> cells;
    for (const std::string& text : texts) cells.push_back({text});
    table.AddRow(std::move(cells));
  };
  add(columns);
  for (const v1::BoardFacts& row : rows) add(FactValues(row, facts));
  return table.Render(false);
}

std::string StopReasonText(v1::StopReason reason) {
  constexpr std::size_t kPrefix = sizeof("STOP_REASON_") - 1;
  const std::string& name = v1::StopReason_Name(reason);
  if (name.size() <= kPrefix) return std::to_string(static_cast<int>(reason));
  return name.substr(kPrefix);
}

std::string GenerationRate(double per_second) {
  char text[48];
  std::snprintf(text, sizeof text, "%.4g generations/s", per_second);
  return text;
}

std::string BoxText(const v1::Region& box) {
  return std::to_string(box.width()) + " x " + std::to_string(box.height()) + " at " +
         std::to_string(box.x()) + "," + std::to_string(box.y());
}

}  // namespace gpusim::cli
