#include "adapters/inbound/policy_file/policy_health.h"

#include <optional>

#include "base/text.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

template <typename Word>
std::optional<Word> Find(std::string_view name, int count) {
  for (int i = 0; i < count; ++i) {
    if (name == Name(static_cast<Word>(i))) return static_cast<Word>(i);
  }
  return std::nullopt;
}

template <typename Word>
std::string All(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.emplace_back(Name(static_cast<Word>(i)));
  return Join(names, ", ");
}

// nullopt: the entry has none, and the report says so.
std::optional<HealthAction> ReadAction(const YamlEntry& entry, Report& report) {
  const auto text = ReadText(entry.value);
  if (!text) {
    report.Add(entry.value.place, text.error().code,
               "health." + entry.key + ": " + text.error().message);
    return std::nullopt;
  }
  const auto action = Find<HealthAction>(*text, kHealthActions);
  if (!action)
    report.Add(entry.value.place, FileCode::kBadWord,
               "health." + entry.key + ": one of " + All<HealthAction>(kHealthActions) +
                   ", not \"" + Printable(*text, 60) + "\"");
  return action;
}

void ReadHealthRule(const YamlEntry& entry, HealthTable& rules, Report& report) {
  const auto code = Find<HealthCode>(entry.key, kHealthCodes);
  if (!code)
    return report.Add(entry.place, FileCode::kUnknownKey,
                      "health: there is no \"" + Printable(entry.key, 60) + "\"; there are " +
                          All<HealthCode>(kHealthCodes));
  if (const auto action = ReadAction(entry, report)) rules[*code] = *action;
}

}  // namespace

HealthTable ReadHealthRules(const YamlNode& map, Report& report) {
  HealthTable rules;
  if (map.kind != YamlNode::Kind::kMap) {
    report.Add(map.place, FileCode::kWrongType,
               "health: a map such as \"nvlink-down: no-new-work\"");
    return rules;
  }
  for (const YamlEntry& entry : map.entries) ReadHealthRule(entry, rules, report);
  return rules;
}

}  // namespace gp
