#include "adapters/wire/documents/from_document.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/reflection.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <set>

#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

using google::protobuf::EnumDescriptor;
using google::protobuf::EnumValueDescriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;
using JsonValue = nlohmann::json;

// Escapes "~" and "/", which have a meaning in a pointer.
std::string Escaped(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '~') text += "~0";
    if (c == '/') text += "~1";
    if (c != '~' && c != '/') text += c;
  }
  return text;
}

std::string NamesOf(const EnumDescriptor& type) {
  std::string names;
  for (int i = 0; i < type.value_count(); ++i) {
    if (!type.value(i)->name().ends_with("_UNSPECIFIED"))
      names += (names.empty() ? "" : ", ") + type.value(i)->name();
  }
  return names;
}

std::string Unknown(const std::string& name, const google::protobuf::Descriptor& type) {
  std::vector<std::string> names;
  for (int i = 0; i < type.field_count(); ++i) names.push_back(type.field(i)->name());
  const auto nearest = Nearest(name, names);
  return "is not known" +
         (nearest ? ": is " + *nearest + " meant?" : "; there are " + Join(names, ", "));
}

bool IsUtf8(const std::string& text) {
  try {
    IgnoreResult(JsonValue(text).dump(), "it throws where the text is no UTF-8");
    return true;
  } catch (const JsonValue::exception&) {
    return false;
  }
}

class Decoder {
 public:
  std::vector<FieldError> TakeErrors() { return std::move(errors_); }

  void Object(const JsonValue& document, const std::string& at, Message* message) {
    if (!document.is_object()) return Refuse(at, "must be an object");
    for (const auto& [name, value] : document.items()) {
      if (errors_.size() >= kFieldErrorsMax) return;
      const std::string place = at + "/" + Escaped(Printable(name, 100));
      const FieldDescriptor* field = message->GetDescriptor()->FindFieldByName(name);
      if (field == nullptr) {
        Refuse(place, Unknown(name, *message->GetDescriptor()));
      } else if (!value.is_null()) {
        Field(value, place, *field, message);
      }
    }
  }

  // For paths and queries, where all values are text.
  void Text(const std::string& text, const std::string& at, const FieldDescriptor& field,
            Message* message) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING: return Value(JsonValue(text), at, field, message);
      case FieldDescriptor::CPPTYPE_ENUM: return Value(JsonValue(text), at, field, message);
      case FieldDescriptor::CPPTYPE_BOOL:
        if (text != "true" && text != "false") return Refuse(at, "must be true or false");
        return Value(JsonValue(text == "true"), at, field, message);
      case FieldDescriptor::CPPTYPE_MESSAGE: return Refuse(at, "cannot be given here");
      default: break;
    }
    const JsonValue number = JsonValue::parse(text, nullptr, false);
    if (!number.is_number()) return Refuse(at, "must be a number");
    Value(number, at, field, message);
  }

 private:
  void Refuse(const std::string& at, std::string detail) {
    errors_.push_back({at, std::move(detail)});
  }

  void Field(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
             Message* message) {
    const auto* oneof = field.real_containing_oneof();
    if (oneof != nullptr && message->GetReflection()->HasOneof(*message, oneof))
      return Refuse(at, "only one of " + oneof->name() + " can be given");
    if (field.is_map()) return Map(value, at, field, message);
    if (!field.is_repeated()) return Value(value, at, field, message);
    if (!value.is_array()) return Refuse(at, "must be a list");
    for (size_t i = 0; i < value.size() && errors_.size() < kFieldErrorsMax; ++i)
      Value(value[i], at + "/" + std::to_string(i), field, message);
  }

  void Map(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
           Message* message) {
    if (!value.is_object()) return Refuse(at, "must be an object");
    for (const auto& [key, item] : value.items()) {
      if (errors_.size() >= kFieldErrorsMax) return;
      Message* entry = message->GetReflection()->AddMessage(message, &field);
      entry->GetReflection()->SetString(entry, entry->GetDescriptor()->map_key(), key);
      Value(item, at + "/" + Escaped(Printable(key, 100)), *entry->GetDescriptor()->map_value(),
            entry);
    }
  }

  void Value(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
             Message* message) {
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING: return String(value, at, field, message);
      case FieldDescriptor::CPPTYPE_BOOL: return Bool(value, at, field, message);
      case FieldDescriptor::CPPTYPE_INT32:
        return Integer(value, at, field, message, &Reflection::SetInt32, &Reflection::AddInt32);
      case FieldDescriptor::CPPTYPE_INT64:
        return Integer(value, at, field, message, &Reflection::SetInt64, &Reflection::AddInt64);
      case FieldDescriptor::CPPTYPE_UINT32:
        return Integer(value, at, field, message, &Reflection::SetUInt32, &Reflection::AddUInt32);
      case FieldDescriptor::CPPTYPE_UINT64:
        return Integer(value, at, field, message, &Reflection::SetUInt64, &Reflection::AddUInt64);
      case FieldDescriptor::CPPTYPE_DOUBLE:
      case FieldDescriptor::CPPTYPE_FLOAT: return Double(value, at, field, message);
      case FieldDescriptor::CPPTYPE_ENUM: return Enum(value, at, field, message);
      case FieldDescriptor::CPPTYPE_MESSAGE: return Object(value, at, Inner(field, message));
    }
  }

  // The message in a field; of a repeated field a new element.
  static Message* Inner(const FieldDescriptor& field, Message* message) {
    const auto& r = *message->GetReflection();
    return field.is_repeated() ? r.AddMessage(message, &field) : r.MutableMessage(message, &field);
  }

  void Bool(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
            Message* message) {
    if (!value.is_boolean()) return Refuse(at, "must be true or false");
    Put(field, message, value.get<bool>(), &Reflection::SetBool, &Reflection::AddBool);
  }

  void Double(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
              Message* message) {
    if (!value.is_number()) return Refuse(at, "must be a number");
    Put(field, message, value.get<double>(), &Reflection::SetDouble, &Reflection::AddDouble);
  }

  void String(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
              Message* message) {
    if (!value.is_string()) return Refuse(at, "must be a string");
    const auto& r = *message->GetReflection();
    if (field.is_repeated()) return r.AddString(message, &field, value.get<std::string>());
    r.SetString(message, &field, value.get<std::string>());
  }

  void Enum(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
            Message* message) {
    const EnumValueDescriptor* named =
        value.is_string() ? field.enum_type()->FindValueByName(value.get<std::string>()) : nullptr;
    if (named == nullptr) return Refuse(at, "must be one of " + NamesOf(*field.enum_type()));
    const auto& r = *message->GetReflection();
    if (field.is_repeated()) return r.AddEnum(message, &field, named);
    r.SetEnum(message, &field, named);
  }

  // How a message takes a number: for a field, or for one more element of a repeated field.
  template <typename Number>
  using Setter = void (Reflection::*)(Message*, const FieldDescriptor*, Number) const;

  template <typename Number>
  void Integer(const JsonValue& value, const std::string& at, const FieldDescriptor& field,
               Message* message, Setter<Number> set, Setter<Number> add) {
    const auto number = Whole<Number>(value);
    if (!number)
      return Refuse(at, "must be a whole number from " +
                            std::to_string(std::numeric_limits<Number>::min()) + " to " +
                            std::to_string(std::numeric_limits<Number>::max()));
    Put(field, message, *number, set, add);
  }

  // Accepts 3 and 3.0, which are the same number in JSON.
  template <typename Number>
  static std::optional<Number> Whole(const JsonValue& value) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<uint64_t>();
      return std::in_range<Number>(number) ? std::optional(static_cast<Number>(number))
                                           : std::nullopt;
    }
    if (value.is_number_integer()) {
      const auto number = value.get<int64_t>();
      return std::in_range<Number>(number) ? std::optional(static_cast<Number>(number))
                                           : std::nullopt;
    }
    constexpr double kExactMax = 9'007'199'254'740'992;  // 2^53
    const double number = value.is_number() ? value.get<double>() : 0.5;
    if (std::floor(number) != number || std::abs(number) > kExactMax ||
        !std::in_range<Number>(static_cast<int64_t>(number)))
      return std::nullopt;
    return static_cast<Number>(number);
  }

  template <typename T, typename Set, typename Add>
  static void Put(const FieldDescriptor& field, Message* message, T value, Set set, Add add) {
    const auto& r = *message->GetReflection();
    if (field.is_repeated()) {
      (r.*add)(message, &field, value);
    } else {
      (r.*set)(message, &field, value);
    }
  }

  std::vector<FieldError> errors_;
};

// Checks the parser's events: the depth, and duplicate names in an object.
class Strictness {
 public:
  bool operator()(int depth, JsonValue::parse_event_t event, const JsonValue& value) {
    if (depth > kJsonDepthMax) trouble_ = "is nested deeper than " + std::to_string(kJsonDepthMax);
    if (event == JsonValue::parse_event_t::object_start) names_.emplace_back();
    if (event == JsonValue::parse_event_t::object_end && !names_.empty()) names_.pop_back();
    if (event == JsonValue::parse_event_t::key && !names_.empty() &&
        !names_.back().insert(value.get<std::string>()).second)
      trouble_ =
          "has the name \"" + Printable(value.get<std::string>(), 60) + "\" twice in one object";
    return trouble_.empty();
  }
  const std::string& trouble() const { return trouble_; }

 private:
  std::vector<std::set<std::string>> names_;
  std::string trouble_;
};

}  // namespace

std::vector<FieldError> ParseJson(std::string_view text, JsonValue& document) {
  Strictness strictness;
  try {
    document =
        JsonValue::parse(text, [&](int depth, JsonValue::parse_event_t event, JsonValue& value) {
          return strictness(depth, event, value);
        });
  } catch (const JsonValue::exception& error) {
    const std::string_view what = error.what();  // the text after "last read" may be a secret
    return {{"", "is no JSON: " + Printable(what.substr(0, what.find("; last read")), 200)}};
  }
  if (strictness.trouble().empty()) return {};
  return {{"", strictness.trouble()}};
}

std::vector<FieldError> FromDocument(const JsonValue& document, Message* message) {
  Decoder decoder;
  decoder.Object(document, "", message);
  return decoder.TakeErrors();
}

std::vector<FieldError> FromText(const std::string& field, const std::string& text,
                                 Message* message) {
  const FieldDescriptor* found = message->GetDescriptor()->FindFieldByName(field);
  const std::string at = "/" + Escaped(Printable(field, 100));
  if (found == nullptr || found->is_map()) return {{at, Unknown(field, *message->GetDescriptor())}};
  if (!found->is_repeated() && found->has_presence() &&
      message->GetReflection()->HasField(*message, found))
    return {{at, "is given twice"}};
  if (!IsUtf8(text)) return {{at, "is no UTF-8"}};
  Decoder decoder;
  decoder.Text(text, at, *found, message);
  return decoder.TakeErrors();
}

}  // namespace gp
