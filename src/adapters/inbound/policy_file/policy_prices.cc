#include "adapters/inbound/policy_file/policy_prices.h"

#include <algorithm>
#include <optional>
#include <string>

#include "base/text.h"
#include "domain/model/jobs/text_rules.h"
#include "lib/yaml/map_reader.h"

namespace gp {
namespace {

int64_t TakeAmount(MapReader& map, const YamlEntry& entry, int64_t most_micros) {
  const auto text = ReadVerbatim(entry.value);
  if (!text) return map.Take(entry, Read<int64_t>(std::unexpected(text.error())));
  const std::optional<int64_t> micros = MicrosOf(*text);
  if (micros && *micros <= most_micros) return *micros;
  map.Refuse(entry.value.place, micros ? FileCode::kOutOfRange : FileCode::kBadNumber, entry.key,
             "\"" + Printable(*text, 60) + "\" is not an amount from 0 to " +
                 std::to_string(most_micros / kMicrosPerUnit) +
                 " with at most six decimals, such as 2.10");
  return 0;
}

const std::vector<std::string> kRuleNames = {"pool",  "model",        "node",
                                             "label", "per_gpu_hour", "watts"};
const std::vector<std::string> kNames = {"currency", "per_kwh", "rules"};

void ReadLabel(const YamlEntry& entry, MapReader& map, PriceRule& rule) {
  if (entry.value.kind != YamlNode::Kind::kMap || entry.value.entries.size() != 1) {
    return map.Refuse(entry.value.place, FileCode::kWrongType, entry.key,
                      "a map of one label, such as {purchase: spot}");
  }
  const YamlEntry& label = entry.value.entries.front();
  rule.label_name = label.key;
  if (const auto fault = LabelNameFault(label.key))
    map.Refuse(label.place, FileCode::kBadWord, entry.key, *fault);
  rule.label_value = map.TakeText(label, LabelValueFault);
}

void ReadRuleEntry(const YamlEntry& entry, MapReader& map, PriceRule& rule) {
  if (entry.key == "pool") {
    rule.pool = map.TakeText(entry, [](const std::string& text) { return NameFault(text); });
  } else if (entry.key == "model") {
    rule.model = map.TakeText(entry, GpuModelFault);
  } else if (entry.key == "node") {
    rule.node = map.TakeText(entry, ArgumentFault);
  } else if (entry.key == "label") {
    ReadLabel(entry, map, rule);
  } else if (entry.key == "per_gpu_hour") {
    rule.per_gpu_hour.micros = TakeAmount(map, entry, kPriceMax.micros);
  } else if (entry.key == "watts") {
    rule.watts = static_cast<int>(map.Take(entry, ReadCount(entry.value, 0, kWattsMax)));
  } else {
    map.RefuseKey(entry, kRuleNames);
  }
}

PriceRule ReadRule(const std::string& path, const YamlNode& node, Report& report) {
  MapReader map(path, report);
  PriceRule rule;
  if (node.kind != YamlNode::Kind::kMap) {
    map.Refuse(node.place, FileCode::kWrongType, "",
               "a map such as {model: H100, per_gpu_hour: 2.10}");
    return rule;
  }
  for (const YamlEntry& entry : node.entries) ReadRuleEntry(entry, map, rule);
  if (node.Find("per_gpu_hour") == nullptr)
    map.Refuse(node.place, FileCode::kMissingKey, "per_gpu_hour",
               "the price of a GPU-hour is missing, such as 2.10");
  return rule;
}

std::vector<PriceRule> ReadRules(const YamlEntry& entry, MapReader& map, Report& report) {
  std::vector<PriceRule> rules;
  if (entry.value.kind != YamlNode::Kind::kList || entry.value.items.size() > kPriceRulesMax) {
    map.Refuse(entry.value.place, FileCode::kWrongType, entry.key,
               "a list of at most " + std::to_string(kPriceRulesMax) +
                   " maps such as {model: H100, per_gpu_hour: 2.10}");
    return rules;
  }
  for (const YamlNode& item : entry.value.items)
    rules.push_back(ReadRule("prices.rules[" + std::to_string(rules.size()) + "]", item, report));
  return rules;
}

// A currency such as "USD".
std::string ReadCurrency(const YamlEntry& entry, MapReader& map) {
  return map.TakeText(entry, [](const std::string& currency) {
    const auto is_capital = [](char letter) { return letter >= 'A' && letter <= 'Z'; };
    const bool is_one = currency.size() == 3 && std::ranges::all_of(currency, is_capital);
    return is_one ? std::nullopt
                  : std::optional<std::string>("three capital letters, such as USD or EUR");
  });
}

}  // namespace

std::optional<int64_t> MicrosOf(std::string_view text) {
  constexpr size_t kWholeDigits = 9;
  constexpr size_t kDecimals = 6;
  const size_t point = std::min(text.find('.'), text.size());
  const std::string_view whole = text.substr(0, point);
  const std::string_view decimals =
      point < text.size() ? text.substr(point + 1) : std::string_view();
  const auto is_number = [](std::string_view digits) {
    return !digits.empty() &&
           std::ranges::all_of(digits, [](char digit) { return digit >= '0' && digit <= '9'; });
  };
  if (!is_number(whole) || whole.size() > kWholeDigits ||
      (whole.size() > 1 && whole.front() == '0'))
    return std::nullopt;
  if (point < text.size() && (!is_number(decimals) || decimals.size() > kDecimals))
    return std::nullopt;
  std::string digits =
      std::string(whole) + std::string(decimals) + std::string(kDecimals - decimals.size(), '0');
  return std::stoll(digits);
}

std::string AmountText(int64_t micros) {
  const std::string decimals = std::to_string(kMicrosPerUnit + micros % kMicrosPerUnit).substr(1);
  std::string text = std::to_string(micros / kMicrosPerUnit) + "." + decimals;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text;
}

PriceList ReadPrices(const YamlNode& node, Report& report) {
  MapReader map("prices", report);
  PriceList prices;
  if (node.kind != YamlNode::Kind::kMap) {
    map.Refuse(node.place, FileCode::kWrongType, "",
               "a map such as \"{currency: USD, rules: [{model: H100, per_gpu_hour: 2.10}]}\"");
    return prices;
  }
  for (const YamlEntry& entry : node.entries) {
    if (entry.key == "currency") {
      prices.currency = ReadCurrency(entry, map);
    } else if (entry.key == "per_kwh") {
      prices.micros_per_kwh = TakeAmount(map, entry, kMicrosPerKwhMax);
    } else if (entry.key == "rules") {
      prices.rules = ReadRules(entry, map, report);
    } else {
      map.RefuseKey(entry, kNames);
    }
  }
  return prices;
}

}  // namespace gp
