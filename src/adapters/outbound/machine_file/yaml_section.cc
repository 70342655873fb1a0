#include "adapters/outbound/machine_file/yaml_section.h"

#include <algorithm>

#include "base/text.h"

namespace gp {

void YamlFindings::Add(const YAML::Mark& at, const std::string& what) {
  if (!first_.empty()) return;
  first_ = file_;
  if (!at.is_null()) {
    first_ += ":" + std::to_string(at.line + 1) + ":" + std::to_string(at.column + 1);
  }
  first_ += ": " + what;
}

Status YamlFindings::ToStatus() const {
  return ok() ? Ok() : Status(Fail(InvalidArgument(first_)));
}

YamlSection::YamlSection(YAML::Node node, std::string name, YamlFindings* findings)
    : node_(std::move(node)), name_(std::move(name)), findings_(findings) {
  if (node_.IsDefined() && !node_.IsNull() && !node_.IsMap()) {
    findings_->Add(node_.Mark(), name_ + " must be a map of keys");
  }
}

YAML::Node YamlSection::Child(const std::string& key) {
  asked_.push_back(key);
  const YAML::Node undefined(YAML::NodeType::Undefined);
  if (!node_.IsDefined() || !node_.IsMap()) return undefined;
  const YAML::Node& node = node_;  // reading a constant node does not add keys
  const YAML::Node child = node[key];
  return child.IsDefined() && !child.IsNull() ? child : undefined;
}

void YamlSection::Refuse(const std::string& key, const std::string& what) {
  const YAML::Node child = Child(key);
  const bool has_child = child.IsDefined();
  const YAML::Mark mark = has_child           ? child.Mark()
                          : node_.IsDefined() ? node_.Mark()
                                              : YAML::Mark::null_mark();
  findings_->Add(mark, name_ + "." + key + " " + what);
}

template <typename T>
std::optional<T> YamlSection::Scalar(const std::string& key, const char* kind) {
  const YAML::Node child = Child(key);
  if (!child.IsDefined()) return std::nullopt;
  T value = {};
  if (child.IsScalar() && YAML::convert<T>::decode(child, value)) return value;
  Refuse(key, std::string("must be ") + kind);
  return std::nullopt;
}

std::optional<std::string> YamlSection::Text(const std::string& key) {
  return Scalar<std::string>(key, "a text");
}

std::optional<bool> YamlSection::Bool(const std::string& key) {
  return Scalar<bool>(key, "true or false");
}

std::optional<int64_t> YamlSection::Count(const std::string& key) {
  constexpr int64_t kMax = int64_t{1} << 53;
  const std::optional<int64_t> count = Scalar<int64_t>(key, "a whole number");
  if (count && (*count < 0 || *count > kMax)) {
    Refuse(key, "is out of range: " + std::to_string(*count));
    return std::nullopt;
  }
  return count;
}

YamlSection YamlSection::Map(const std::string& key) {
  return YamlSection(Child(key), name_ + "." + key, findings_);
}

std::vector<YAML::Node> YamlSection::List(const std::string& key) {
  const YAML::Node child = Child(key);
  if (!child.IsDefined()) return {};
  if (!child.IsSequence()) {
    Refuse(key, "must be a list");
    return {};
  }
  return std::vector<YAML::Node>(child.begin(), child.end());
}

std::vector<YamlSection> YamlSection::Maps(const std::string& key) {
  std::vector<YamlSection> sections;
  for (const YAML::Node& element : List(key)) {
    sections.emplace_back(element, key + "[" + std::to_string(sections.size()) + "]", findings_);
  }
  return sections;
}

std::vector<std::string> YamlSection::Texts(const std::string& key) {
  std::vector<std::string> texts;
  for (const YAML::Node& element : List(key)) {
    if (element.IsScalar()) {
      texts.push_back(element.Scalar());
    } else {
      Refuse(key, "must hold texts only");
    }
  }
  return texts;
}

std::vector<int64_t> YamlSection::Counts(const std::string& key) {
  std::vector<int64_t> counts;
  for (const std::string& text : Texts(key)) {
    const Result<int64_t> count = ParseCount(text);
    if (count) {
      counts.push_back(*count);
    } else {
      Refuse(key, "must hold whole numbers only");
    }
  }
  return counts;
}

void YamlSection::Skip(std::initializer_list<const char*> keys) {
  asked_.insert(asked_.end(), keys.begin(), keys.end());
}

void YamlSection::Done() {
  if (!node_.IsDefined() || !node_.IsMap()) return;
  for (const auto& entry : node_) {
    const std::string key = entry.first.IsScalar() ? entry.first.Scalar() : "";
    if (std::ranges::find(asked_, key) != asked_.end()) continue;
    const std::optional<std::string> nearest = Nearest(key, asked_);
    findings_->Add(entry.first.Mark(), name_ + " has no key '" + Printable(key) + "'" +
                                           (nearest ? "; did you mean '" + *nearest + "'?" : ""));
  }
}

}  // namespace gp
