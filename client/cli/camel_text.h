// Camels and what stands on the track, as people read them.
#pragma once

#include <string>

#include "client/cli/text.h"
#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {

// The number of an SGR sequence.
const char* CamelColor(v1::Camel camel);

// "blue (B)" in the camel's colour; the second edition has small letters.
TextTable::Cell CamelCell(v1::Camel camel, v1::Edition edition);

// "oasis (+)"
const char* EffectText(v1::TileEffect effect);

}  // namespace gpusim::cli
