#include "adapters/inbound/policy_file/policy_file.h"

#include <fstream>
#include <optional>
#include <variant>

#include "adapters/inbound/job_file/check_text.h"
#include "adapters/inbound/job_file/scalar.h"
#include "adapters/inbound/policy_file/policy_placement.h"
#include "adapters/inbound/policy_file/policy_prices.h"
#include "adapters/inbound/policy_file/policy_xids.h"
#include "base/text.h"
#include "domain/model/node.h"

namespace gp {
namespace {

using Field = std::variant<Duration Policy::*, int Policy::*, Duration FaultPolicy::*, int FaultPolicy::*>;

struct PolicyNumber {
  const char* name;
  int64_t low = 0;
  int64_t high = 0;
  Field field;
};

constexpr int64_t kDay = Duration::Minutes(24 * 60).ns;
constexpr const char* kXids = "xids";
constexpr const char* kPlacement = "placement";
constexpr const char* kPrices = "prices";

constexpr PolicyNumber kNumbers[] = {
    {"faults_max", 0, 1'000, &Policy::faults_max},
    {"reserve_after", 0, 365 * kDay, &Policy::reserve_after},
    {"min_run", 0, 365 * kDay, &Policy::min_run},
    {"reclaim_grace", 0, 365 * kDay, &Policy::reclaim_grace},
    {"share_half_life", 1'000'000'000, 3'650 * kDay, &Policy::share_half_life},
    {"share_horizon", 0, 365 * kDay, &Policy::share_horizon},
    {"usage_period", 60'000'000'000, 3'650 * kDay, &Policy::usage_period},
    {"age_after", 0, 365 * kDay, &Policy::age_after},
    {"class_floor", 0, 100, &Policy::class_floor},
    {"move_cost", 0, 365 * kDay, &Policy::move_cost},
    {"move_interval", 0, 365 * kDay, &Policy::move_interval},
    {"moves_per_hour", 0, 1'000'000, &Policy::moves_per_hour},
    {"node_mtbf", 60'000'000'000, 36'500 * kDay, &Policy::node_mtbf},
    {"faults_correlate", 0, kDay / 24, &FaultPolicy::correlate},
    {"incident_window", 0, 365 * kDay, &FaultPolicy::incident_window},
    {"error_window", 0, 365 * kDay, &FaultPolicy::error_window},
    {"suspect_users", 1, 1'000, &FaultPolicy::suspect_users},
    {"suspect_errors", 1, 256, &FaultPolicy::suspect_errors},
    {"suspect_errors_per_user", 1, 256, &FaultPolicy::suspect_errors_per_user},
    {"suspect_factor", 0, 1'000, &FaultPolicy::suspect_factor},
    {"recovery_hold", 0, kDay, &FaultPolicy::recovery_hold},
    {"lemon_failures", 1, kFailuresMax, &FaultPolicy::lemon_failures},
    {"lemon_factor", 0, 1'000, &FaultPolicy::lemon_factor},
    {"lemon_window", 0, 365 * kDay, &FaultPolicy::lemon_window},
    {"resets_per_day", 0, 1'000, &FaultPolicy::resets_per_day},
    {"breaker_percent", 0, 100, &FaultPolicy::breaker_percent},
    {"breaker_gpus_min", 0, 1'000'000, &FaultPolicy::breaker_gpus_min},
    {"breaker_window", 0, 365 * kDay, &FaultPolicy::breaker_window},
};

// Where the number is.
template <typename SomePolicy>
auto Target(const Field& field, SomePolicy& policy) {
  using Count = std::conditional_t<std::is_const_v<SomePolicy>, const int*, int*>;
  using Span = std::conditional_t<std::is_const_v<SomePolicy>, const Duration*, Duration*>;
  return std::visit([&](auto member) -> std::variant<Span, Count> {
    if constexpr (std::is_same_v<decltype(member), Duration Policy::*> || std::is_same_v<decltype(member), int Policy::*>) {
      return &(policy.*member);
    } else {
      return &(policy.faults.*member);
    }
  }, field);
}

bool IsSpan(const Field& field) { return std::holds_alternative<Duration Policy::*>(field) || std::holds_alternative<Duration FaultPolicy::*>(field); }

bool IsOfFaults(const Field& field) {
  return std::holds_alternative<Duration FaultPolicy::*>(field) || std::holds_alternative<int FaultPolicy::*>(field);
}

using Change = std::function<void(Policy&)>;

Change SetNumber(const Field& field, int64_t value) {
  return [field, value](Policy& policy) {
    const auto target = Target(field, policy);
    if (const auto* span = std::get_if<Duration*>(&target)) {
      **span = Duration{value};
    } else {
      *std::get<int*>(target) = static_cast<int>(value);
    }
  };
}

Change SetXids(std::map<int, XidRule> rules) {
  return [rules = std::move(rules)](Policy& policy) {
    for (const auto& [xid, rule] : rules) policy.faults.xids[xid] = rule;
  };
}

Change SetPlacement(WeightsByPool placement) {
  return [placement = std::move(placement)](Policy& policy) { policy.placement = placement; };
}

Change SetPrices(PriceList prices) {
  return [prices = std::move(prices)](Policy& policy) { policy.prices = prices; };
}

std::optional<Change> ReadEntry(const YamlEntry& entry, Report& report) {
  if (entry.key == kXids) return SetXids(ReadXidRules(entry.value, report));
  if (entry.key == kPlacement) return SetPlacement(ReadPlacement(entry.value, report));
  if (entry.key == kPrices) return SetPrices(ReadPrices(entry.value, report));
  for (const PolicyNumber& number : kNumbers) {
    if (entry.key != number.name) continue;
    const auto value = IsSpan(number.field) ? ReadDuration(entry.value, number.low, number.high) : ReadCount(entry.value, number.low, number.high);
    if (value) return SetNumber(number.field, *value);
    report.Add(entry.value.place, value.error().code, entry.key + ": " + value.error().message);
    return std::nullopt;
  }
  const std::vector<std::string> names = PolicyNames();
  const auto nearest = Nearest(entry.key, names);
  report.Add(entry.place, JobFileCode::kUnknownKey,
             "there is no \"" + Printable(entry.key, 60) + "\" in a policy" + (nearest ? "; did you mean \"" + *nearest + "\"?" : "; there are " + Join(names, ", ")));
  return std::nullopt;
}

std::string Told(const std::vector<Diagnostic>& problems) {
  std::string text;
  for (const Diagnostic& problem : problems) {
    text += (text.empty() ? "" : "\n") + problem.file + ":" + std::to_string(problem.line) + ":" + std::to_string(problem.column) + ": " + problem.message;
  }
  return text;
}

}  // namespace

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const PolicyNumber& number : kNumbers) names.emplace_back(number.name);
  names.emplace_back(kPlacement);
  names.emplace_back(kPrices);
  names.emplace_back(kXids);
  return names;
}

std::vector<PolicyValue> FaultNumbers(const Policy& policy) {
  std::vector<PolicyValue> values;
  for (const PolicyNumber& number : kNumbers) {
    if (!IsOfFaults(number.field)) continue;
    const auto target = Target(number.field, policy);
    const auto* span = std::get_if<const Duration*>(&target);
    values.push_back({number.name, span != nullptr ? ToText(**span) : std::to_string(*std::get<const int*>(target))});
  }
  return values;
}

std::function<void(Policy&)> ReadPolicy(const YamlNode& map, Report& report) {
  if (map.kind != YamlNode::Kind::kMap) report.Add(map.place, JobFileCode::kWrongType, "a policy is a map such as \"min_run: 5m\"");
  std::vector<Change> changes;
  for (const YamlEntry& entry : map.entries) {
    if (auto change = ReadEntry(entry, report)) changes.push_back(*std::move(change));
  }
  return [changes](Policy& policy) {
    for (const Change& change : changes) change(policy);
  };
}

Result<std::function<void(Policy&)>> DecodePolicy(std::string_view file_name, std::string_view text) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  std::vector<std::function<void(Policy&)>> changes;
  if (CheckText(source, report)) {
    for (const YamlNode& document : ReadYaml(source, source.text, report)) changes.push_back(ReadPolicy(document, report));
  }
  if (!report.empty()) return Fail(InvalidArgument(Told(report.Take())));
  return [changes](Policy& policy) {
    for (const auto& change : changes) change(policy);
  };
}

Result<std::function<void(Policy&)>> ReadPolicyFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string text(kJobFileBytesMax + 1, '\0');  // one byte more than may be: refused as too large
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.gcount() == 0) return Fail(NotFound(path + ": cannot be read, or is empty"));
  text.resize(static_cast<size_t>(file.gcount()));
  return DecodePolicy(path, text);
}

}  // namespace gp
