#include "adapters/wire/documents/document.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/reflection.h>

#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using Json = nlohmann::ordered_json;

// One value of a field: the only one, or an element of a repeated field.
struct OneValue {
  const Message& message;
  const FieldDescriptor& field;
  int index;

  template <typename Only, typename Element>
  auto Get(Only get, Element get_element) const {
    const Reflection& r = *message.GetReflection();
    return field.is_repeated() ? (r.*get_element)(message, &field, index)
                               : (r.*get)(message, &field);
  }

  std::string Text() const {
    std::string text = Get(&Reflection::GetString, &Reflection::GetRepeatedString);
    return field.type() == FieldDescriptor::TYPE_BYTES ? ToBase64(text) : text;
  }

  const Message& Inner() const {
    const Reflection& r = *message.GetReflection();
    return field.is_repeated() ? r.GetRepeatedMessage(message, &field, index)
                               : r.GetMessage(message, &field);
  }
};

Json ValueOf(const Message& message, const FieldDescriptor& field, int index) {
  using R = Reflection;
  const OneValue value{message, field, index};
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32: return value.Get(&R::GetInt32, &R::GetRepeatedInt32);
    case FieldDescriptor::CPPTYPE_INT64: return value.Get(&R::GetInt64, &R::GetRepeatedInt64);
    case FieldDescriptor::CPPTYPE_UINT32: return value.Get(&R::GetUInt32, &R::GetRepeatedUInt32);
    case FieldDescriptor::CPPTYPE_UINT64: return value.Get(&R::GetUInt64, &R::GetRepeatedUInt64);
    case FieldDescriptor::CPPTYPE_DOUBLE: return value.Get(&R::GetDouble, &R::GetRepeatedDouble);
    case FieldDescriptor::CPPTYPE_FLOAT: return value.Get(&R::GetFloat, &R::GetRepeatedFloat);
    case FieldDescriptor::CPPTYPE_BOOL: return value.Get(&R::GetBool, &R::GetRepeatedBool);
    case FieldDescriptor::CPPTYPE_ENUM: return value.Get(&R::GetEnum, &R::GetRepeatedEnum)->name();
    case FieldDescriptor::CPPTYPE_STRING: return value.Text();
    case FieldDescriptor::CPPTYPE_MESSAGE: return ToDocument(value.Inner());
  }
  return nullptr;
}

Json MapOf(const Message& message, const FieldDescriptor& field) {
  std::map<std::string, Json> sorted;
  const auto& r = *message.GetReflection();
  for (int i = 0; i < r.FieldSize(message, &field); ++i) {
    const Message& entry = r.GetRepeatedMessage(message, &field, i);
    const auto* descriptor = entry.GetDescriptor();
    sorted[ValueOf(entry, *descriptor->map_key(), 0).get<std::string>()] =
        ValueOf(entry, *descriptor->map_value(), 0);
  }
  Json map = Json::object();
  for (const auto& [key, value] : sorted) map[key] = value;
  return map;
}

void WriteYaml(const Json& value, int depth, std::string& out) {
  const std::string indent(static_cast<size_t>(depth) * 2, ' ');
  if (value.is_object() && !value.empty()) {
    for (const auto& [key, child] : value.items()) {
      out += indent + key + ":";
      const bool nested = (child.is_object() || child.is_array()) && !child.empty();
      out += nested ? "\n" : " ";
      WriteYaml(child, depth + 1, out);
    }
  } else if (value.is_array() && !value.empty()) {
    for (const auto& child : value) {
      std::string item;
      WriteYaml(child, depth + 1, item);
      // The first line of the item follows the dash.
      const size_t text = item.find_first_not_of(' ');
      out += indent + "- " + item.substr(text == std::string::npos ? 0 : text);
    }
  } else {
    out += ToLine(value) + "\n";  // JSON scalars are YAML
  }
}

}  // namespace

Json ToDocument(const Message& message) {
  Json document = Json::object();
  const auto* descriptor = message.GetDescriptor();
  const auto& r = *message.GetReflection();
  for (int i = 0; i < descriptor->field_count(); ++i) {
    const FieldDescriptor& field = *descriptor->field(i);
    if (field.is_map()) {
      document[field.name()] = MapOf(message, field);
    } else if (field.is_repeated()) {
      Json list = Json::array();
      for (int at = 0; at < r.FieldSize(message, &field); ++at)
        list.push_back(ValueOf(message, field, at));
      document[field.name()] = std::move(list);
    } else if (field.has_presence() && !r.HasField(message, &field)) {
      document[field.name()] = nullptr;
    } else {
      document[field.name()] = ValueOf(message, field, 0);
    }
  }
  return document;
}

std::string ToLine(const Json& document) {
  return document.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string ToYaml(const Json& document) {
  std::string out;
  WriteYaml(document, 0, out);
  return out;
}

}  // namespace gp
