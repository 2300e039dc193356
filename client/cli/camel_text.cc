#include "client/cli/camel_text.h"

#include <cctype>

namespace gpusim::cli {
namespace {

struct CamelText {
  const char* name;
  char letter;  // of the first edition; the second writes it small
  const char* color;
};

CamelText TextOf(v1::Camel camel) {
  switch (camel) {
    case v1::CAMEL_BLUE:
      return {"blue", 'B', "34"};
    case v1::CAMEL_GREEN:
      return {"green", 'G', "32"};
    case v1::CAMEL_ORANGE:
      return {"orange", 'O', "38;5;208"};
    case v1::CAMEL_YELLOW:
      return {"yellow", 'Y', "33"};
    case v1::CAMEL_WHITE:
      return {"white", 'W', "37"};
    case v1::CAMEL_RED:
      return {"red", 'R', "31"};
    case v1::CAMEL_PURPLE:
      return {"purple", 'P', "35"};
    case v1::CAMEL_CRAZY_WHITE:
      return {"crazy white", 'W', "37"};
    case v1::CAMEL_CRAZY_BLACK:
      return {"crazy black", 'K', "90"};
    default:
      return {"unknown", '?', ""};
  }
}

}  // namespace

const char* CamelColor(v1::Camel camel) { return TextOf(camel).color; }

TextTable::Cell CamelCell(v1::Camel camel, v1::Edition edition) {
  const CamelText text = TextOf(camel);
  const char letter =
      edition == v1::EDITION_SECOND ? static_cast<char>(std::tolower(text.letter)) : text.letter;
  return {std::string(text.name) + " (" + letter + ")", text.color};
}

const char* EffectText(v1::TileEffect effect) {
  return effect == v1::TILE_EFFECT_OASIS    ? "oasis (+)"
         : effect == v1::TILE_EFFECT_MIRAGE ? "mirage (-)"
                                            : "unknown";
}

}  // namespace gpusim::cli
