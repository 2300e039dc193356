#include "client/cli/json.h"

#include <google/protobuf/util/json_util.h>

namespace gpusim::cli {
namespace {

// What stands between the outer braces, without the space around.
std::string Inside(const std::string& object) {
  const auto begin = object.find_first_not_of(" \n", object.find('{') + 1);
  const auto end = object.find_last_not_of(" \n", object.rfind('}') - 1);
  return begin > end ? "" : object.substr(begin, end - begin + 1);
}

}  // namespace

std::string ToJson(const google::protobuf::Message& message) {
  google::protobuf::util::JsonPrintOptions options;
  options.add_whitespace = true;
  options.always_print_primitive_fields = true;
  std::string json;
  // Only a message with an Any of unknown type could fail, and replies have none.
  const auto status = google::protobuf::util::MessageToJsonString(message, &json, options);
  return status.ok() ? json : "{}\n";
}

std::string MergeJson(const std::string& first, const std::string& second) {
  const std::string a = Inside(first);
  const std::string b = Inside(second);
  return "{\n " + a + (a.empty() || b.empty() ? "" : ",\n ") + b + "\n}\n";
}

}  // namespace gpusim::cli
