// The facts of a stepped board as a table and as CSV.
#pragma once

#include <string>

#include "client/cli/terminal.h"
#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

enum class Picture {
  kNone,
  kIfItFits,  // braille, when the board is small enough for the terminal
  kAlways,    // braille at a terminal, else '.' and 'O'
};

// The picture needs a packed board in the answer.
std::string StepTable(const v1::StepResponse& step, Picture picture, const Terminal& terminal);

// A header and one row.
std::string StepCsv(const v1::StepResponse& step);

// Whether a picture of that many cells fits the terminal.
bool PictureFits(std::uint64_t width, std::uint64_t height, const Terminal& terminal);

}  // namespace gpusim::cli
