// The facts of a stepped board as a table and as CSV.
#pragma once

#include <string>
#include <vector>

#include "client/cli/terminal.h"
#include "gpusim/v1/life.pb.h"

namespace gpusim::cli {

enum class Picture {
  kNone,
  kIfItFits,  // when the board is small enough for the terminal
  kAlways,    // braille at a terminal with UTF-8, else '.' and 'O'
};

// `facts` are those that were asked for. The picture needs a packed board in the answer.
std::string StepTable(const v1::StepResponse& step, const std::vector<v1::Fact>& facts,
                      Picture picture, const Terminal& terminal);

// A header and one row; of a series, its rows instead.
std::string StepCsv(const v1::StepResponse& step, const std::vector<v1::Fact>& facts);

// Whether a picture of that many cells fits the terminal.
bool PictureFits(std::uint64_t width, std::uint64_t height, const Terminal& terminal);

}  // namespace gpusim::cli
