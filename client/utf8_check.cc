#include "client/utf8_check.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace gpusim {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;

// Bytes of the character that begins the text, 0 if none does: RFC 3629, so neither overlong forms, nor surrogates, nor
// anything beyond U+10FFFF.
std::size_t CharacterBytes(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<std::uint8_t>(text[i]) : std::uint8_t{0};
  };
  const auto within = [&](std::size_t i, int low, int high) {
    return byte(i) >= low && byte(i) <= high;
  };
  const auto follows = [&](std::size_t i) { return within(i, 0x80, 0xbf); };
  const int first = byte(0);
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first <= 0xdf) return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    const bool second = within(1, first == 0xe0 ? 0xa0 : 0x80, first == 0xed ? 0x9f : 0xbf);
    return second && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    const bool second = within(1, first == 0xf0 ? 0x90 : 0x80, first == 0xf4 ? 0x8f : 0xbf);
    return second && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

bool IsUtf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t bytes = CharacterBytes(text);
    if (bytes == 0) return false;
    text.remove_prefix(bytes);
  }
  return true;
}

// No request has repeated strings.
void Check(const Message& message, const std::string& prefix,
           std::vector<FieldViolation>& violations) {
  const google::protobuf::Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    const std::string path = prefix + field->name();
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE && field->is_repeated()) {
      for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
        Check(reflection.GetRepeatedMessage(message, field, i),
              path + "[" + std::to_string(i) + "].", violations);
      }
    } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      Check(reflection.GetMessage(message, field), path + ".", violations);
    } else if (field->type() == FieldDescriptor::TYPE_STRING && !field->is_repeated()) {
      std::string scratch;
      if (!IsUtf8(reflection.GetStringReference(message, field, &scratch)))
        violations.push_back({path, "text has to be UTF-8"});
    }
  }
}

}  // namespace

std::vector<FieldViolation> StringsNotUtf8(const Message& message) {
  std::vector<FieldViolation> violations;
  Check(message, "", violations);
  return violations;
}

}  // namespace gpusim
