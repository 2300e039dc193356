#include "client/cli/json.h"

#include <cstdio>

#include <google/protobuf/util/json_util.h>

namespace gpusim::cli {
namespace {

// What stands between the outer braces, without the space around.
std::string Inside(const std::string& object) {
  const auto begin = object.find_first_not_of(" \n", object.find('{') + 1);
  const auto end = object.find_last_not_of(" \n", object.rfind('}') - 1);
  return begin > end ? "" : object.substr(begin, end - begin + 1);
}

std::string Print(const google::protobuf::Message& message, bool add_whitespace) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = add_whitespace;
  options.always_print_primitive_fields = true;
  std::string json;
  // Only a message with an Any of unknown type could fail, and replies have none.
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  if (!status.ok()) return "{}\n";
  return add_whitespace ? json : json + '\n';
}

}  // namespace

std::string ToJson(const google::protobuf::Message& message) { return Print(message, true); }

std::string ToJsonLine(const google::protobuf::Message& message) { return Print(message, false); }

std::string JsonString(std::string_view text) {
  std::string json = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      char escaped[8];
      std::snprintf(escaped, sizeof escaped, "\\u%04x", static_cast<unsigned>(c));
      json += escaped;
    } else {
      json += c;
    }
  }
  return json + '"';
}

std::string MergeJson(const std::string& first, const std::string& second) {
  const std::string a = Inside(first);
  const std::string b = Inside(second);
  return "{\n " + a + (a.empty() || b.empty() ? "" : ",\n ") + b + "\n}\n";
}

}  // namespace gpusim::cli
