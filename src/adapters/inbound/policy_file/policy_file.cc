#include "adapters/inbound/policy_file/policy_file.h"

#include <optional>
#include <variant>

#include "adapters/inbound/policy_file/policy_health.h"
#include "adapters/inbound/policy_file/policy_placement.h"
#include "adapters/inbound/policy_file/policy_prices.h"
#include "adapters/inbound/policy_file/policy_under_use.h"
#include "adapters/inbound/policy_file/policy_xids.h"
#include "base/text.h"
#include "domain/model/nodes/node.h"
#include "lib/yaml/check_text.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

using Field =
    std::variant<Duration Policy::*, int Policy::*, Duration FaultPolicy::*, int FaultPolicy::*>;

struct PolicyNumber {
  const char* name;
  int64_t low = 0;
  int64_t high = 0;
  Field field;
  const char* meaning;
};

constexpr int64_t kDay = Duration::Minutes(24 * 60).ns;
constexpr const char* kHealth = "health";
constexpr const char* kXids = "xids";
constexpr const char* kPlacement = "placement";
constexpr const char* kPrices = "prices";
constexpr const char* kUnderUse = "under_use";

constexpr PolicyNumber kNumbers[] = {
    {"faults_max", 0, 1'000, &Policy::faults_max,
     "maximum consecutive infrastructure failures without progress (no checkpoint, less than ten "
     "minutes) before the job fails"},
    {"reserve_after", 0, 365 * kDay, &Policy::reserve_after,
     "a job that has been pending for this time gets a backfill reservation; 0s: at once"},
    {"min_run", 0, 365 * kDay, &Policy::min_run,
     "minimum run time of a job, from its placement, before it may be preempted or moved"},
    {"reclaim_grace", 0, 365 * kDay, &Policy::reclaim_grace,
     "a queue below its guarantee waits at most this time for `min_run` of its victims"},
    {"share_half_life", 1'000'000'000, 3'650 * kDay, &Policy::share_half_life,
     "fair-share usage half-life"},
    {"share_horizon", 0, 365 * kDay, &Policy::share_horizon,
     "resources held now count in fair share as if they had been held for this time"},
    {"usage_period", 60'000'000'000, 3'650 * kDay, &Policy::usage_period,
     "length of the periods over which limits of GPU-hours count, from 1970 on"},
    {"age_after", 0, 365 * kDay, &Policy::age_after,
     "a job that has been pending for this time counts in the queue order as one class higher"},
    {"class_floor", 0, 100, &Policy::class_floor,
     "percentage of its pool that every class gets for jobs that have been pending for "
     "`age_after`"},
    {"move_cost", 0, 365 * kDay, &Policy::move_cost,
     "estimated time that a move costs a job, in addition to its grace"},
    {"move_interval", 0, 365 * kDay, &Policy::move_interval,
     "minimum time between two moves of a job"},
    {"moves_per_hour", 0, 1'000'000, &Policy::moves_per_hour,
     "maximum number of moves in any hour, of all jobs"},
    {"node_mtbf", 60'000'000'000, 36'500 * kDay, &Policy::node_mtbf,
     "mean time between failures of a node, used only for advice about checkpoints"},
    {"jobs_kept", 0, 10'000'000, &Policy::jobs_kept,
     "maximum number of finished jobs that are remembered"},
    {"jobs_kept_for", 0, 3'650 * kDay, &Policy::jobs_kept_for,
     "finished jobs are remembered for this time; 0s: limited by `jobs_kept` only"},
    {"faults_correlate", 0, kDay / 24, &FaultPolicy::correlate,
     "reports of one GPU within this time count as one error"},
    {"incident_window", 0, 365 * kDay, &FaultPolicy::incident_window,
     "a fault that recurs within this time belongs to the incident that is still open"},
    {"error_window", 0, 365 * kDay, &FaultPolicy::error_window,
     "errors of programs count for this time"},
    {"suspect_users", 1, 1'000, &FaultPolicy::suspect_users,
     "minimum number of users with errors that make a GPU suspect"},
    {"suspect_errors", 1, 256, &FaultPolicy::suspect_errors,
     "minimum number of errors that make a GPU suspect"},
    {"suspect_errors_per_user", 1, 256, &FaultPolicy::suspect_errors_per_user,
     "maximum number of errors of one user that count on a GPU"},
    {"suspect_factor", 0, 1'000, &FaultPolicy::suspect_factor,
     "multiple of the mean of the other GPUs, added to `suspect_errors`"},
    {"recovery_hold", 0, kDay, &FaultPolicy::recovery_hold,
     "for this time after a fault interrupted it a job is placed before all others, and the GPUs "
     "that it still had stay reserved for it"},
    {"lemon_failures", 1, kFailuresMax, &FaultPolicy::lemon_failures,
     "a node with this many hardware failures within `lemon_window` takes no new work until an "
     "operator has checked it,"},
    {"lemon_factor", 0, 1'000, &FaultPolicy::lemon_factor,
     "if it failed at least this many times as often as the mean of the other nodes"},
    {"lemon_window", 0, 365 * kDay, &FaultPolicy::lemon_window,
     "hardware failures of a node count for this time"},
    {"resets_per_day", 0, 1'000, &FaultPolicy::resets_per_day,
     "maximum number of automatic resets of one GPU in a day; then operator action is required"},
    {"breaker_percent", 0, 100, &FaultPolicy::breaker_percent,
     "if more than this percentage of a pool's GPUs went out of service within `breaker_window`, "
     "automatic resets and drains stop; 100: off"},
    {"breaker_gpus_min", 0, 1'000'000, &FaultPolicy::breaker_gpus_min,
     "the breaker opens only if at least this many GPUs went out of service,"},
    {"breaker_nodes_min", 0, 1'000'000, &FaultPolicy::breaker_nodes_min,
     "on at least this many nodes"},
    {"breaker_window", 0, 365 * kDay, &FaultPolicy::breaker_window,
     "GPUs that went out of service count for the breaker for this time"},
};

// A pointer to the number in the policy.
template <typename SomePolicy>
auto Target(const Field& field, SomePolicy& policy) {
  using Count = std::conditional_t<std::is_const_v<SomePolicy>, const int*, int*>;
  using Span = std::conditional_t<std::is_const_v<SomePolicy>, const Duration*, Duration*>;
  return std::visit(
      [&](auto member) -> std::variant<Span, Count> {
        if constexpr (std::is_same_v<decltype(member), Duration Policy::*> ||
                      std::is_same_v<decltype(member), int Policy::*>) {
          return &(policy.*member);
        } else {
          return &(policy.faults.*member);
        }
      },
      field);
}

bool IsSpan(const Field& field) {
  return std::holds_alternative<Duration Policy::*>(field) ||
         std::holds_alternative<Duration FaultPolicy::*>(field);
}

bool IsOfFaults(const Field& field) {
  return std::holds_alternative<Duration FaultPolicy::*>(field) ||
         std::holds_alternative<int FaultPolicy::*>(field);
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

Change SetHealth(HealthTable rules) {
  return [rules = std::move(rules)](Policy& policy) {
    for (const auto& [code, action] : rules) policy.faults.health[code] = action;
  };
}

Change SetPlacement(WeightsByPool placement) {
  return [placement = std::move(placement)](Policy& policy) { policy.placement = placement; };
}

Change SetPrices(PriceList prices) {
  return [prices = std::move(prices)](Policy& policy) { policy.prices = prices; };
}

Change SetUnderUse(std::vector<UnderUseChange> changes) {
  return [changes = std::move(changes)](Policy& policy) {
    for (const UnderUseChange& change : changes) change(policy.under_use);
  };
}

std::optional<Change> ReadEntry(const YamlEntry& entry, const XidCatalogueRules& catalogue,
                                Report& report) {
  if (entry.key == kHealth) return SetHealth(ReadHealthRules(entry.value, report));
  if (entry.key == kXids) return SetXids(ReadXidRules(entry.value, catalogue, report));
  if (entry.key == kPlacement) return SetPlacement(ReadPlacement(entry.value, report));
  if (entry.key == kUnderUse) return SetUnderUse(ReadUnderUse(entry.value, report));
  if (entry.key == kPrices) return SetPrices(ReadPrices(entry.value, report));
  for (const PolicyNumber& number : kNumbers) {
    if (entry.key != number.name) continue;
    const auto value = IsSpan(number.field) ? ReadDuration(entry.value, number.low, number.high)
                                            : ReadCount(entry.value, number.low, number.high);
    if (value) return SetNumber(number.field, *value);
    report.Add(entry.value.place, value.error().code, entry.key + ": " + value.error().message);
    return std::nullopt;
  }
  const std::vector<std::string> names = PolicyNames();
  const auto nearest = Nearest(entry.key, names);
  report.Add(
      entry.place, FileCode::kUnknownKey,
      "there is no \"" + Printable(entry.key, 60) + "\" in a policy" +
          (nearest ? "; did you mean \"" + *nearest + "\"?" : "; there are " + Join(names, ", ")));
  return std::nullopt;
}

}  // namespace

std::vector<std::string> PolicyNames() {
  std::vector<std::string> names;
  for (const PolicyNumber& number : kNumbers) names.emplace_back(number.name);
  names.emplace_back(kHealth);
  names.emplace_back(kPlacement);
  names.emplace_back(kPrices);
  names.emplace_back(kUnderUse);
  names.emplace_back(kXids);
  return names;
}

std::vector<PolicyValue> PolicyNumbers(const Policy& policy) {
  std::vector<PolicyValue> values;
  for (const PolicyNumber& number : kNumbers) {
    const auto text = [&](int64_t value) {
      return IsSpan(number.field) ? DurationText(Duration{value}) : std::to_string(value);
    };
    const auto target = Target(number.field, policy);
    const auto* span = std::get_if<const Duration*>(&target);
    values.push_back(
        {number.name, text(span != nullptr ? (*span)->ns : *std::get<const int*>(target)),
         text(number.low), text(number.high), number.meaning, IsOfFaults(number.field)});
  }
  return values;
}

std::vector<PolicyValue> FaultNumbers(const Policy& policy) {
  std::vector<PolicyValue> values = PolicyNumbers(policy);
  std::erase_if(values, [](const PolicyValue& value) { return !value.is_of_faults; });
  return values;
}

std::function<void(Policy&)> ReadPolicy(const YamlNode& map, const XidCatalogueRules& catalogue,
                                        Report& report) {
  if (map.kind != YamlNode::Kind::kMap)
    report.Add(map.place, FileCode::kWrongType, "a policy is a map such as \"min_run: 5m\"");
  std::vector<Change> changes;
  for (const YamlEntry& entry : map.entries) {
    if (auto change = ReadEntry(entry, catalogue, report)) changes.push_back(*std::move(change));
  }
  return [changes](Policy& policy) {
    for (const Change& change : changes) change(policy);
  };
}

Result<std::function<void(Policy&)>> DecodePolicy(std::string_view file_name, std::string_view text,
                                                  const XidCatalogueRules& catalogue) {
  const SourceText source{std::string(file_name), std::string(text)};
  Report report;
  std::vector<std::function<void(Policy&)>> changes;
  if (CheckText(source, report)) {
    for (const YamlNode& document : ReadYaml(source, source.text, report))
      changes.push_back(ReadPolicy(document, catalogue, report));
  }
  if (!report.empty()) return Fail(InvalidArgument(AsLines(report.Take())));
  return [changes](Policy& policy) {
    for (const auto& change : changes) change(policy);
  };
}

Result<std::function<void(Policy&)>> ReadPolicyFile(const std::string& path,
                                                    const XidCatalogueRules& catalogue) {
  return DecodePolicy(path, GP_TRY(ReadSource(path)), catalogue);
}

}  // namespace gp
