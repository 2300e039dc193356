// How an answer was made, in a line for people.
#pragma once

#include <string>

#include "gpusim/v1/provenance.pb.h"

namespace gpusim::cli {

// "cuda", "cpu" or "unknown".
std::string BackendText(v1::Backend backend);

// "exact, cuda, NVIDIA H200, cached" and a line end, for Monte Carlo a second line with the stream;
// empty when nothing is known.
std::string ProvenanceText(const v1::Provenance& provenance);

// As the options that ask for it again: "--seed 7 --subsequence 0 --offset 0".
std::string StreamText(const v1::RandomStream& stream);

}  // namespace gpusim::cli
