#include "client/cli/position_line.h"

#include <string>
#include <utility>

#include <google/protobuf/struct.pb.h>
#include <google/protobuf/util/json_util.h>

#include "gpusim/v1/camel_up.pb.h"

namespace gpusim::cli {
namespace {

using Fields = google::protobuf::Map<std::string, google::protobuf::Value>;

tl::unexpected<Error> Bad(std::string message) {
  return tl::unexpected(Error{.code = StatusCode::kInvalidArgument, .message = std::move(message)});
}

template <class Message>
bool ReadJson(std::string_view line, Message& message, std::string& fault) {
  const auto status = google::protobuf::util::JsonStringToMessage(
      google::protobuf::StringPiece(line.data(), line.size()), &message);
  if (!status.ok()) {
    // Below the first line stands a copy of the text.
    const std::string text(status.message());
    fault = text.substr(0, text.find('\n'));
  }
  return status.ok();
}

Result<AnyPosition> FromNotation(const Fields& fields) {
  PositionText text;
  bool edition = false;
  for (const auto& [name, value] : fields) {
    if (name == "edition") {
      const double number = value.number_value();
      if (number != 1 && number != 2) break;
      text.edition = number == 1 ? Edition::kFirst : Edition::kSecond;
      edition = true;
      continue;
    }
    if (!value.has_string_value()) return Bad("'" + name + "' has to be a string");
    if (name == "position") {
      text.stacks = value.string_value();
    } else if (name == "tiles") {
      text.tiles = value.string_value();
    } else if (name == "dice") {
      text.dice = value.string_value();
    } else {
      return Bad("'" + name + "' is unknown; the fields are edition, position, tiles and dice");
    }
  }
  if (!edition) return Bad("'edition' has to be 1 or 2");
  return text;
}

Result<AnyPosition> FromMessage(const v1::Position& message) {
  if (message.edition() != v1::EDITION_FIRST && message.edition() != v1::EDITION_SECOND)
    return Bad("'edition' has to be EDITION_FIRST or EDITION_SECOND");
  const auto edition = static_cast<Edition>(message.edition());
  if (message.has_text()) {
    return PositionText{.edition = edition,
                        .stacks = message.text().stacks(),
                        .tiles = message.text().tiles(),
                        .dice = message.text().dice()};
  }
  Position position{.edition = edition};
  for (const v1::Stack& stack : message.stacks()) {
    Stack& added = position.stacks.emplace_back(Stack{.space = stack.space()});
    for (const int camel : stack.camels()) added.camels.push_back(static_cast<Camel>(camel));
  }
  for (const v1::Tile& tile : message.tiles()) {
    position.tiles.push_back({.space = tile.space(),
                              .effect = static_cast<TileEffect>(tile.effect()),
                              .owner = tile.owner()});
  }
  for (const int die : message.dice()) position.dice.push_back(static_cast<Die>(die));
  return position;
}

}  // namespace

Result<AnyPosition> ParsePositionLine(std::string_view line) {
  std::string fault;
  google::protobuf::Struct object;
  if (!ReadJson(line, object, fault)) return Bad("no JSON object: " + fault);
  if (object.fields().contains("position")) return FromNotation(object.fields());
  v1::Position message;
  if (!ReadJson(line, message, fault)) {
    return Bad("neither has it the field 'position', nor is it a Position: " + fault);
  }
  return FromMessage(message);
}

}  // namespace gpusim::cli
