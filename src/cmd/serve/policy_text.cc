#include "cmd/serve/policy_text.h"

#include <fmt/format.h>

#include "adapters/inbound/policy_file/policy_prices.h"
#include "adapters/inbound/policy_file/policy_under_use.h"
#include "cmd/serve/policy_with.h"
#include "domain/faults/xid_words.h"
#include "domain/placement/weighted_cost.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

using Json = nlohmann::ordered_json;

Json NumbersText(const Policy& policy) {
  Json numbers = Json::array();
  for (const auto& [one, built_in] : NumbersOf(policy)) {
    numbers.push_back({{"name", one.name},
                       {"value", one.value},
                       {"built_in", built_in},
                       {"least", one.least},
                       {"most", one.most},
                       {"meaning", one.meaning}});
  }
  return numbers;
}

Json PlacementOf(const Policy& policy) {
  Json pools = Json::object();
  for (const auto& [pool, weights] : policy.placement) {
    for (const PlacementCost& cost : PlacementCosts())
      pools[pool][cost.name] = weights.*cost.weight;
  }
  return pools;
}

Json PricesOf(const Policy& policy) {
  Json rules = Json::array();
  for (const PriceRule& rule : policy.prices.rules) {
    Json one = Json::object();
    const auto add = [&](const char* name, const std::string& value) {
      if (!value.empty()) one[name] = value;
    };
    add("pool", rule.pool);
    add("model", rule.model);
    add("node", rule.node);
    if (!rule.label_name.empty()) one["label"] = {{rule.label_name, rule.label_value}};
    one["per_gpu_hour"] = AmountText(rule.per_gpu_hour.micros);
    if (rule.watts != 0) one["watts"] = rule.watts;
    rules.push_back(one);
  }
  return {{"currency", policy.prices.currency},
          {"per_kwh", AmountText(policy.prices.micros_per_kwh)},
          {"rules", rules}};
}

Json UnderUseOf(const Policy& policy) {
  Json classes = Json::object();
  for (const auto& [name, rule] : UnderUseRules(policy.under_use))
    classes[name] = {{"below", rule.below_percent},
                     {"warn", DurationText(rule.warn_after)},
                     {"stop", DurationText(rule.stop_after)}};
  return classes;
}

// The rules that differ from the catalogue.
Json XidsOf(const Policy& policy) {
  const Policy built_in = BuiltInPolicy();
  Json xids = Json::object();
  for (const auto& [xid, rule] : policy.faults.xids) {
    const auto before = built_in.faults.xids.find(xid);
    if (before != built_in.faults.xids.end() && before->second == rule) continue;
    const XidWords words = gp::WordsOf(rule);
    xids[std::to_string(xid)] = {{"job", words.job}, {"gpu", words.gpu}};
  }
  return xids;
}

// The actions that differ from the built-in ones.
Json HealthOf(const Policy& policy) {
  const Policy built_in = BuiltInPolicy();
  Json health = Json::object();
  for (const auto& [code, action] : policy.faults.health) {
    const auto before = built_in.faults.health.find(code);
    if (before == built_in.faults.health.end() || before->second != action)
      health[Name(code)] = Name(action);
  }
  return health;
}

// YAML would read the others as no text.
bool IsPlainKey(const std::string& key) {
  return key != kEveryPool && key != "null" && key != "Null" && key != "NULL";
}

// A map or a list below its name, its members in YAML's flow form, which JSON is; numbers as names
// of XIDs.
std::string SectionText(const char* name, const Json& members) {
  std::string text = fmt::format("\n{}:", name);
  if (members.empty()) return text + " {}\n";
  text += "\n";
  for (const auto& [key, value] : members.items()) {
    text += fmt::format("  {}:", IsPlainKey(key) ? key : "\"" + key + "\"");
    if (value.is_array() && !value.empty()) {
      for (const Json& item : value) text += "\n    - " + item.dump();
    } else {
      text += " " + (value.is_string() ? value.get<std::string>() : value.dump());
    }
    text += "\n";
  }
  return text;
}

}  // namespace

std::vector<RunningNumber> NumbersOf(const Policy& policy) {
  const std::vector<PolicyValue> values = PolicyNumbers(policy);
  const std::vector<PolicyValue> built_in = PolicyNumbers(BuiltInPolicy());
  std::vector<RunningNumber> numbers;
  for (size_t i = 0; i < values.size(); ++i) numbers.push_back({values[i], built_in[i].value});
  return numbers;
}

std::vector<std::string> PolicyChanges(const Policy& before, const Policy& now) {
  std::vector<std::string> changes;
  const std::vector<PolicyValue> were = PolicyNumbers(before);
  const std::vector<PolicyValue> are = PolicyNumbers(now);
  for (size_t i = 0; i < are.size(); ++i) {
    if (are[i].value != were[i].value)
      changes.push_back(are[i].name + ": " + were[i].value + " -> " + are[i].value);
  }
  for (const auto& [name, rule] : UnderUseRules(now.under_use)) {
    const Json then = UnderUseOf(before)[name], there = UnderUseOf(now)[name];
    if (then != there)
      changes.push_back("under_use." + name + ": " + then.dump() + " -> " + there.dump());
  }
  if (PlacementOf(before) != PlacementOf(now)) changes.emplace_back("placement");
  if (PricesOf(before) != PricesOf(now)) changes.emplace_back("prices");
  if (HealthOf(before) != HealthOf(now)) changes.emplace_back("health");
  if (XidsOf(before) != XidsOf(now)) changes.emplace_back("xids");
  return changes;
}

nlohmann::ordered_json PolicyDocument(const std::string& file, const Policy& policy) {
  return {{"file", file},
          {"numbers", NumbersText(policy)},
          {"placement", PlacementOf(policy)},
          {"prices", PricesOf(policy)},
          {"under_use", UnderUseOf(policy)},
          {"health", HealthOf(policy)},
          {"xids", XidsOf(policy)}};
}

std::string PolicyFileText(const std::string& file, const Policy& policy) {
  return "# " + std::string(file.empty() ? "The built-in policy." : "In force with " + file + ".") +
         "  `serve --policy` takes a file with any of these keys.\n" + PolicyKeysText(policy);
}

std::string PolicyKeysText(const Policy& policy) {
  std::string text;
  for (const Json& one : NumbersText(policy)) {
    const auto part = [&](const char* name) { return one[name].get<std::string>(); };
    const std::string built_in =
        part("value") == part("built_in") ? "" : "; built in: " + part("built_in");
    text += fmt::format("\n# {}\n# {} to {}{}\n{}: {}\n", part("meaning"), part("least"),
                        part("most"), built_in, part("name"), part("value"));
  }
  if (!policy.placement.empty())
    text +=
        "\n# Placement preferences of each pool." + SectionText("placement", PlacementOf(policy));
  text += "\n# What a GPU-hour costs." + SectionText("prices", PricesOf(policy));
  text +=
      "\n# What follows when the GPUs of such jobs are busy for less than this percentage "
      "(docs/use.md); 0s: nothing." +
      SectionText("under_use", UnderUseOf(policy));
  if (const Json health = HealthOf(policy); !health.empty())
    text +=
        "\n# Findings whose actions differ from the built-in ones." + SectionText("health", health);
  if (const Json xids = XidsOf(policy); !xids.empty())
    text += "\n# XIDs whose rules differ from the catalogue." + SectionText("xids", xids);
  return text;
}

}  // namespace gp
