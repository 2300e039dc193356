// Protobuf's strings are UTF-8. gRPC sends others all the same, and the peer answers that it cannot read the message,
// without a word about which field.
#pragma once

#include <vector>

#include <google/protobuf/message.h>
#include <gpusim/result.h>

namespace gpusim {

// One violation for each string of the message, at any depth, that is not UTF-8.
std::vector<FieldViolation> StringsNotUtf8(const google::protobuf::Message& message);

}  // namespace gpusim
