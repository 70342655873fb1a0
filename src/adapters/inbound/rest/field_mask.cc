#include "adapters/inbound/rest/field_mask.h"

#include <vector>

#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using Json = nlohmann::ordered_json;

constexpr size_t kFieldsMax = 100;

// The message type of the field's values; nullptr: they have no fields.
const Descriptor* FieldsOf(const FieldDescriptor& field) {
  const FieldDescriptor& value = field.is_map() ? *field.message_type()->map_value() : field;
  return value.cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE ? value.message_type() : nullptr;
}

Error UnknownField(const std::string& name, const Descriptor* message) {
  std::vector<std::string> known;
  for (int i = 0; message != nullptr && i < message->field_count(); ++i)
    known.push_back(message->field(i)->name());
  const auto nearest = Nearest(name, known);
  return InvalidArgument("fields: there is no \"" + Printable(name, 60) + "\"" +
                         (nearest ? ": is " + *nearest + " meant?" : ""));
}

}  // namespace

Result<FieldMask> FieldMask::Parse(std::string_view text, const Descriptor& message) {
  FieldMask mask;
  const std::vector<std::string> paths = Split(text, ',');
  if (paths.size() > kFieldsMax)
    return Fail(InvalidArgument("fields: at most " + std::to_string(kFieldsMax)));
  for (const std::string& path : paths) {
    FieldMask* at = &mask;
    const Descriptor* type = &message;
    bool is_whole = false;  // a prefix of it was requested, with all its fields
    for (const std::string& name : Split(path, '.')) {
      const FieldDescriptor* field = type == nullptr ? nullptr : type->FindFieldByName(name);
      if (field == nullptr) return Fail(UnknownField(name, type));
      const auto [next, is_new] = at->fields_.try_emplace(name);
      is_whole = is_whole || (!is_new && next->second.fields_.empty());
      at = &next->second;
      at->is_map_ = field->is_map();
      type = FieldsOf(*field);
      if (is_whole) break;
    }
    at->fields_.clear();
  }
  return mask;
}

void FieldMask::Apply(Json& document) const {
  if (fields_.empty()) return;
  if (document.is_array() || is_map_) {
    FieldMask of_each = *this;
    of_each.is_map_ = false;
    for (Json& element : document) of_each.Apply(element);
    return;
  }
  if (!document.is_object()) return;
  for (auto at = document.begin(); at != document.end();) {
    const auto wanted = fields_.find(at.key());
    if (wanted == fields_.end()) {
      at = document.erase(at);
      continue;
    }
    wanted->second.Apply(at.value());
    ++at;
  }
}

}  // namespace gp
