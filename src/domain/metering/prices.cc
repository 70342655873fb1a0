#include "domain/metering/prices.h"

#include <algorithm>

namespace gp {
namespace {

bool HasLabel(const Node& node, const PriceRule& rule) {
  const auto found = node.labels.find(rule.label_name);
  return found != node.labels.end() && found->second == rule.label_value;
}

bool Fits(const PriceRule& rule, const Node& node, const GpuFacts& gpu) {
  return (rule.pool.empty() || rule.pool == node.pool) &&
         gpu.model.find(rule.model) != std::string::npos &&
         (rule.node.empty() || rule.node == node.facts->name) &&
         (rule.label_name.empty() || HasLabel(node, rule));
}

}  // namespace

Price PriceOf(const PriceList& prices, const Node& node, int gpu) {
  const GpuFacts& facts = node.facts->gpus[static_cast<size_t>(gpu)];
  const auto rule = std::ranges::find_if(
      prices.rules, [&](const PriceRule& one) { return Fits(one, node, facts); });
  if (rule == prices.rules.end()) return {};
  return {std::min(kPriceMax.micros,
                   rule->per_gpu_hour.micros + prices.micros_per_kwh * rule->watts / 1'000)};
}

}  // namespace gp
