#include "adapters/wire/documents/document.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/reflection.h>

#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using Json = nlohmann::ordered_json;

Json ValueOf(const Message& message, const FieldDescriptor& field, int index) {
  const auto& r = *message.GetReflection();
  const bool repeated = field.is_repeated();
  switch (field.cpp_type()) {
    case FieldDescriptor::CPPTYPE_INT32:
      return repeated ? r.GetRepeatedInt32(message, &field, index) : r.GetInt32(message, &field);
    case FieldDescriptor::CPPTYPE_INT64:
      return repeated ? r.GetRepeatedInt64(message, &field, index) : r.GetInt64(message, &field);
    case FieldDescriptor::CPPTYPE_UINT32:
      return repeated ? r.GetRepeatedUInt32(message, &field, index) : r.GetUInt32(message, &field);
    case FieldDescriptor::CPPTYPE_UINT64:
      return repeated ? r.GetRepeatedUInt64(message, &field, index) : r.GetUInt64(message, &field);
    case FieldDescriptor::CPPTYPE_DOUBLE:
      return repeated ? r.GetRepeatedDouble(message, &field, index) : r.GetDouble(message, &field);
    case FieldDescriptor::CPPTYPE_FLOAT:
      return repeated ? r.GetRepeatedFloat(message, &field, index) : r.GetFloat(message, &field);
    case FieldDescriptor::CPPTYPE_BOOL:
      return repeated ? r.GetRepeatedBool(message, &field, index) : r.GetBool(message, &field);
    case FieldDescriptor::CPPTYPE_ENUM:
      return (repeated ? r.GetRepeatedEnum(message, &field, index) : r.GetEnum(message, &field))
          ->name();
    case FieldDescriptor::CPPTYPE_STRING: {
      std::string text =
          repeated ? r.GetRepeatedString(message, &field, index) : r.GetString(message, &field);
      return field.type() == FieldDescriptor::TYPE_BYTES ? ToBase64(text) : text;
    }
    case FieldDescriptor::CPPTYPE_MESSAGE:
      return ToDocument(repeated ? r.GetRepeatedMessage(message, &field, index)
                                 : r.GetMessage(message, &field));
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
