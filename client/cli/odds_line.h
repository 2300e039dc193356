// Answers as lines of JSON, with the names of GetOddsResponse.
#pragma once

#include <cstdint>
#include <string>

#include <gpusim/camel_up_columns.h>

namespace gpusim::cli {

// {"line":7,"totalWeight":29160,...}: what the columns have of this row. Probabilities that are
// weights out of the total are left out, for they would be most of the bytes.
void AppendOddsLine(std::uint64_t line, const OddsColumnsRequest& request,
                    const OddsColumns& columns, std::uint32_t row, std::string& out);

// {"line":7,"error":{"code":"INVALID_ARGUMENT","message":"...","violations":[...]}}
void AppendErrorLine(std::uint64_t line, const Error& error, std::string& out);

}  // namespace gpusim::cli
