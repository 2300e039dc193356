// Messages as protobuf JSON: camelCase names, names of enumeration values, zero values printed,
// 64-bit integers as strings, bytes in base64.
#pragma once

#include <string>
#include <string_view>

#include <google/protobuf/message.h>

namespace gpusim::cli {

// Ends with a line end.
std::string ToJson(const google::protobuf::Message& message);

// The same on one line.
std::string ToJsonLine(const google::protobuf::Message& message);

// A string with its quotes.
std::string JsonString(std::string_view text);

// One object with the fields of both, which have no name in common.
std::string MergeJson(const std::string& first, const std::string& second);

}  // namespace gpusim::cli
