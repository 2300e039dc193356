// How fast a directory takes files that last.
#pragma once

#include <string>

namespace gpusim::boards {

// Bytes a second: writes and syncs up to 16 MiB, for about 0.2 s, into a file that has no name and is gone afterwards. Blocks
// for as long as that takes. 0 where nothing can be written.
double MeasureWriteRate(const std::string& dir);

}  // namespace gpusim::boards
