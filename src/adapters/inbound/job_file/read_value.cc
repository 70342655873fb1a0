#include "adapters/inbound/job_file/read_value.h"

#include <algorithm>

#include "adapters/inbound/job_file/codes.h"
#include "base/text.h"
#include "domain/model/jobs/job_text.h"
#include "domain/model/jobs/text_rules.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

using enum FileCode;

Read<int64_t> ReadPriority(const YamlNode& node) {
  return ReadCountOrWord(node, 0, kPriorityMax, "low, medium, high or a number", PriorityFromText);
}

Read<int64_t> ReadShare(const YamlNode& node) {
  if (!node.IsScalar()) {
    return std::unexpected<Fault>(
        {kWrongType, "must be a share such as 0.5 or 50%, not " + Describe(node)});
  }
  const auto share = ShareFromText(node.text);
  if (!share) return std::unexpected<Fault>({kBadUnit, share.error().message});
  return *share;
}

// Reads one value; each function returns whether it succeeded.
class ValueReader {
 public:
  ValueReader(const Field& field, const ValueContext& at) : field_(field), at_(at) {}

  bool ReadAny(const YamlNode& node);
  FieldValue Take() { return std::move(value_); }

 private:
  bool Number(const YamlNode& node, Read<int64_t> number);
  bool Text(const YamlNode& node);
  bool NotEmpty(const YamlNode& node);
  bool Gpus(const YamlNode& node);
  bool ModelAndCount(const YamlNode& node, size_t colon);
  bool Array(const YamlNode& node);
  bool Texts(const YamlNode& node);
  bool Words(const YamlNode& node);
  bool DurationSpan(const YamlNode& node);
  bool Entries(const YamlNode& node);
  bool Rules(const YamlNode& node);
  bool Command(const YamlNode& node);
  bool Refuse(const Place& place, const Fault& fault, std::string_view below = "");

  const Field& field_;
  const ValueContext& at_;
  FieldValue value_;
};

bool ValueReader::Refuse(const Place& place, const Fault& fault, std::string_view below) {
  const std::string suffix = below.empty() ? "" : "." + std::string(below);
  at_.report.AddAt(at_.path + suffix, place, fault.code,
                   at_.subject + Printable(suffix, 80) + ": " + fault.message);
  return false;
}

bool ValueReader::Number(const YamlNode& node, Read<int64_t> number) {
  if (!number) return Refuse(node.place, number.error());
  value_.number = *number;
  return true;
}

bool ValueReader::Text(const YamlNode& node) {
  auto text = ReadText(node);
  if (!text) return Refuse(node.place, text.error());
  value_.text = std::move(*text);
  return true;
}

bool ValueReader::NotEmpty(const YamlNode& node) {
  return !value_.text.empty() || Refuse(node.place, {kBadText, "must not be empty"});
}

// A count that is too large is usually the total of several nodes.
Fault PerNode(std::string_view count, Fault fault) {
  if (fault.code == kOutOfRange && !count.starts_with('-')) {
    fault.message += ": GPUs are counted per node; for more, request several nodes";
  }
  return fault;
}

bool ValueReader::Gpus(const YamlNode& node) {
  const size_t colon = node.text.rfind(':');
  if (node.IsScalar() && colon != std::string::npos) return ModelAndCount(node, colon);
  auto count = ReadCount(node, field_.low, field_.high);
  if (count) return Number(node, count);
  Fault fault = std::move(count.error());
  if (node.kind == YamlNode::Kind::kPlain && !GpuModelFault(node.text) &&
      fault.code == kBadNumber && node.text.find_first_of("0123456789") != 0) {
    fault.message = Describe(node) + " has no count: write " + node.text + ":1";
  } else if (fault.code == kBadNumber && node.text.find('.') != std::string::npos) {
    fault.message += ": for a part of a GPU write {count: 1, share: 0.5}";
  }
  return Refuse(node.place, PerNode(node.text, std::move(fault)));
}

bool ValueReader::ModelAndCount(const YamlNode& node, size_t colon) {
  const std::string model = node.text.substr(0, colon);
  if (auto fault = GpuModelFault(model)) return Refuse(node.place, {kBadText, std::move(*fault)});
  YamlNode count;
  count.kind = YamlNode::Kind::kPlain;
  count.place = node.place;
  count.text = node.text.substr(colon + 1);
  value_.list = {model};
  auto number = ReadCount(count, field_.low, field_.high);
  return number ? Number(node, number)
                : Refuse(node.place, PerNode(count.text, std::move(number.error())));
}

bool ValueReader::Array(const YamlNode& node) {
  const size_t percent = node.text.find('%');
  if (!node.IsScalar() || percent == std::string::npos)
    return Number(node, ReadCount(node, field_.low, field_.high));
  YamlNode part = node;
  part.kind = YamlNode::Kind::kPlain;
  part.text = node.text.substr(percent + 1);
  if (!Number(part, ReadCount(part, field_.low, field_.high))) return false;
  value_.number_high = value_.number;
  part.text = node.text.substr(0, percent);
  return Number(part, ReadCount(part, field_.low, field_.high));
}

bool ValueReader::Texts(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kList) {
    if (!Text(node)) return false;
    value_.list = {value_.text};
    return true;
  }
  if (node.items.empty()) return Refuse(node.place, {kOutOfRange, "the list is empty"});
  for (const YamlNode& item : node.items) {
    if (!Text(item)) return false;
    value_.list.push_back(value_.text);
  }
  return true;
}

bool ValueReader::Words(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kList) {
    return Refuse(node.place, {kWrongType, "must be a list, not " + Describe(node)});
  }
  if (node.items.empty()) return Refuse(node.place, {kOutOfRange, "the list is empty"});
  for (const YamlNode& item : node.items) {
    if (!Number(item, ReadWord(item, field_.words))) return false;
    const std::string word(field_.words[static_cast<size_t>(value_.number)]);
    if (std::ranges::find(value_.list, word) != value_.list.end()) {
      return Refuse(item.place, {kDuplicateKey, "\"" + word + "\" is listed twice"});
    }
    value_.list.push_back(word);
  }
  return true;
}

bool ValueReader::DurationSpan(const YamlNode& node) {
  const size_t dots = node.text.find("..");
  if (!node.IsScalar() || dots == std::string::npos) {
    if (!Number(node, ReadDuration(node, field_.low, field_.high))) return false;
    value_.number_high = value_.number;
    return true;
  }
  YamlNode end = node;
  end.text = node.text.substr(dots + 2);
  if (!Number(end, ReadDuration(end, field_.low, field_.high))) return false;
  value_.number_high = value_.number;
  end.text = node.text.substr(0, dots);
  return Number(end, ReadDuration(end, field_.low, field_.high));
}

bool ValueReader::Entries(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kMap) {
    return Refuse(node.place,
                  {kWrongType, "must be a map of names to values, not " + Describe(node)});
  }
  bool good = true;
  for (const YamlEntry& entry : node.entries) {
    if (entry.value.kind == YamlNode::Kind::kNull && field_.kind == FieldKind::kVariables) {
      good = Refuse(
          entry.place,
          {JobFileCode::kVariableNotGiven, "has no value here, so give it when submitting: --env " +
                                               Printable(entry.key, 80) + "=…"},
          entry.key);
    } else if (auto text = ReadVerbatim(entry.value)) {
      value_.entries[entry.key] = std::move(*text);
    } else {
      good = Refuse(entry.place, text.error(), entry.key);
    }
  }
  return good;
}

bool ValueReader::Rules(const YamlNode& node) {
  if (!Entries(node)) return false;
  if (static_cast<int64_t>(node.entries.size()) > field_.high) {
    return Refuse(node.place,
                  {kOutOfRange, "has " + std::to_string(node.entries.size()) + " rules; at most " +
                                    std::to_string(field_.high) + " are allowed"});
  }
  bool good = true;
  for (const YamlEntry& entry : node.entries) {
    if (const auto word = ReadWord(entry.value, field_.words); !word)
      good = Refuse(entry.value.place, word.error(), entry.key);
  }
  return good;
}

bool ValueReader::Command(const YamlNode& node) {
  if (node.kind != YamlNode::Kind::kList) {
    if (!Text(node)) return false;
    if (value_.text.find_first_not_of(" \t\r\n") == std::string::npos) {
      return Refuse(node.place, {kBadText, "the script is empty"});
    }
    value_.list = {"/bin/sh", "-c", value_.text};
    return true;
  }
  for (const YamlNode& item : node.items) {
    auto text = ReadVerbatim(item);
    if (!text) return Refuse(item.place, text.error());
    value_.list.push_back(std::move(*text));
  }
  return true;
}

bool ValueReader::ReadAny(const YamlNode& node) {
  switch (field_.kind) {
    case FieldKind::kText: return Text(node) && NotEmpty(node);
    case FieldKind::kCount: return Number(node, ReadCount(node, field_.low, field_.high));
    case FieldKind::kSizeOrAuto:
      if (node.IsScalar() && node.text == "auto") return Number(node, 0);
      [[fallthrough]];
    case FieldKind::kSize: return Number(node, ReadSize(node, field_.low, field_.high));
    case FieldKind::kDuration: return Number(node, ReadDuration(node, field_.low, field_.high));
    case FieldKind::kDurationSpan: return DurationSpan(node);
    case FieldKind::kBool: return Number(node, ReadBool(node));
    case FieldKind::kWord: return Number(node, ReadWord(node, field_.words));
    case FieldKind::kWords: return Words(node);
    case FieldKind::kPriority: return Number(node, ReadPriority(node));
    case FieldKind::kShare: return Number(node, ReadShare(node));
    case FieldKind::kTexts: return Texts(node);
    case FieldKind::kGpus: return Gpus(node);
    case FieldKind::kArray: return Array(node);
    case FieldKind::kVariables:
    case FieldKind::kLabels: return Entries(node);
    case FieldKind::kRules: return Rules(node);
    case FieldKind::kCommand: return Command(node);
    case FieldKind::kObject:
      return Refuse(node.place, {kWrongType, "must be a map, not " + Describe(node)});
    case FieldKind::kObjects:
    case FieldKind::kAlternatives:
      return Refuse(node.place, {kWrongType, "must be a list of maps, not " + Describe(node)});
    case FieldKind::kNotYet:
      return Refuse(node.place, {kNotSupportedYet, "is known but not supported yet: remove it"});
  }
  return false;
}

}  // namespace

std::optional<FieldValue> ReadValue(const Field& field, const YamlNode& node, ValueContext at) {
  ValueReader reader(field, at);
  if (!reader.ReadAny(node)) return std::nullopt;
  return reader.Take();
}

}  // namespace gp
