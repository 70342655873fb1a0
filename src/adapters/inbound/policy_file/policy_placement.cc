#include "adapters/inbound/policy_file/policy_placement.h"

#include <algorithm>

#include "base/text.h"
#include "domain/model/jobs/text_rules.h"
#include "domain/placement/weighted_cost.h"
#include "lib/yaml/scalar.h"

namespace gp {
namespace {

std::vector<std::string> CostNames() {
  std::vector<std::string> names;
  for (const PlacementCost& cost : PlacementCosts()) names.emplace_back(cost.name);
  return names;
}

void ReadWeight(const std::string& path, const YamlEntry& entry, PlacementWeights& weights,
                Report& report) {
  const auto cost = std::ranges::find(PlacementCosts(), entry.key, &PlacementCost::name);
  if (cost == PlacementCosts().end()) {
    const std::vector<std::string> names = CostNames();
    const auto nearest = Nearest(entry.key, names);
    report.Add(entry.place, FileCode::kUnknownKey,
               path + ": there is no weight \"" + Printable(entry.key, 60) + "\"" +
                   (nearest ? "; did you mean \"" + *nearest + "\"?"
                            : "; there are " + Join(names, ", ")));
    return;
  }
  const auto weight = ReadCount(entry.value, 0, kPlacementWeightMax);
  if (weight) {
    weights.*cost->weight = static_cast<int>(*weight);
  } else {
    report.Add(entry.value.place, weight.error().code,
               path + "." + entry.key + ": " + weight.error().message);
  }
}

}  // namespace

WeightsByPool ReadPlacement(const YamlNode& map, Report& report) {
  WeightsByPool placement;
  if (map.kind != YamlNode::Kind::kMap) {
    report.Add(map.place, FileCode::kWrongType,
               "placement: a map such as \"inference: {spread: 1}\"");
    return placement;
  }
  if (map.entries.size() > kPoolsWeighedMax) {
    report.Add(map.place, FileCode::kOutOfRange,
               "placement: at most " + std::to_string(kPoolsWeighedMax) + " pools, not " +
                   std::to_string(map.entries.size()));
    return placement;
  }
  for (const YamlEntry& pool : map.entries) {
    const std::string path = "placement." + Printable(pool.key, 60);
    const auto fault = pool.key == kEveryPool ? std::nullopt : NameFault(pool.key);
    if (fault) {
      report.Add(pool.place, FileCode::kBadWord,
                 path + ": the name of a pool, or \"*\" for all other pools: " + *fault);
    } else if (pool.value.kind != YamlNode::Kind::kMap) {
      report.Add(pool.value.place, FileCode::kWrongType,
                 path + ": a map such as {best_fit: 2, numa: 10}");
    } else {
      PlacementWeights& weights = placement[pool.key];
      for (const YamlEntry& entry : pool.value.entries) ReadWeight(path, entry, weights, report);
    }
  }
  return placement;
}

}  // namespace gp
