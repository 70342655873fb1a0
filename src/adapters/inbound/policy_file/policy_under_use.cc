#include "adapters/inbound/policy_file/policy_under_use.h"

#include <algorithm>
#include <iterator>

#include "lib/yaml/map_reader.h"

namespace gp {
namespace {

struct JobClass {
  const char* name;
  UnderUseRule UnderUsePolicy::* rule;
};

constexpr JobClass kClassesNamed[] = {
    {"high", &UnderUsePolicy::high},
    {"medium", &UnderUsePolicy::medium},
    {"low", &UnderUsePolicy::low},
    {"interactive", &UnderUsePolicy::interactive},
};

constexpr int64_t kLongest = Duration::Minutes(60 * 24 * 365).ns;

void ReadRule(UnderUseRule UnderUsePolicy::* rule, const YamlNode& node, MapReader& reader,
              std::vector<UnderUseChange>& changes) {
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == "below") {
      const int percent = static_cast<int>(reader.Take(entry, ReadCount(entry.value, 0, 100)));
      changes.push_back(
          [rule, percent](UnderUsePolicy& policy) { (policy.*rule).below_percent = percent; });
    } else if (entry.key == "warn" || entry.key == "stop") {
      const Duration after{reader.Take(entry, ReadDuration(entry.value, 0, kLongest))};
      const auto field =
          entry.key == "warn" ? &UnderUseRule::warn_after : &UnderUseRule::stop_after;
      changes.push_back(
          [rule, field, after](UnderUsePolicy& policy) { policy.*rule.*field = after; });
    } else {
      reader.RefuseKey(entry, {"below", "warn", "stop"});
    }
  }
}

}  // namespace

std::vector<UnderUseChange> ReadUnderUse(const YamlNode& map, Report& report) {
  MapReader reader("under_use", report);
  std::vector<UnderUseChange> changes;
  if (map.kind != YamlNode::Kind::kMap) {
    reader.Refuse(map.place, FileCode::kWrongType, "",
                  "a map such as \"low: {below: 5, warn: 1h, stop: 2h}\"");
    return changes;
  }
  std::vector<std::string> names;
  for (const JobClass& one : kClassesNamed) names.emplace_back(one.name);
  for (const YamlEntry& entry : map.entries) {
    const auto named = std::ranges::find(kClassesNamed, entry.key, &JobClass::name);
    if (named == std::end(kClassesNamed)) {
      reader.RefuseKey(entry, names);
    } else if (entry.value.kind != YamlNode::Kind::kMap) {
      reader.Refuse(entry.value.place, FileCode::kWrongType, entry.key,
                    "a map such as {below: 5, warn: 1h, stop: 2h}");
    } else {
      MapReader rule("under_use." + entry.key, report);
      ReadRule(named->rule, entry.value, rule, changes);
    }
  }
  return changes;
}

std::vector<std::pair<std::string, UnderUseRule>> UnderUseRules(const UnderUsePolicy& policy) {
  std::vector<std::pair<std::string, UnderUseRule>> rules;
  for (const JobClass& one : kClassesNamed) rules.emplace_back(one.name, policy.*one.rule);
  return rules;
}

}  // namespace gp
