#pragma once

// The cost of a GPU-hour: rules by pool, model, node and label, of which the first that matches
// counts, and the assumed power draw of such a GPU.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "domain/metering/money.h"
#include "domain/model/nodes/node.h"

namespace gp {

inline constexpr size_t kPriceRulesMax = 1'000;
inline constexpr int kWattsMax = 100'000;
inline constexpr int64_t kMicrosPerKwhMax = int64_t{100} * kMicrosPerUnit;

struct PriceRule {
  std::string pool;        // empty: any
  std::string model;       // a part of its name; empty: any
  std::string node;        // empty: any
  std::string label_name;  // of the node; empty: any
  std::string label_value;
  Price per_gpu_hour;  // without power
  int watts = 0;       // of one GPU, with its part of the node and the cooling
  bool operator==(const PriceRule&) const = default;
};
GP_FIELDS(PriceRule, v.pool, v.model, v.node, v.label_name, v.label_value, v.per_gpu_hour, v.watts)

struct PriceList {
  std::string currency = "USD";
  int64_t micros_per_kwh = 0;
  std::vector<PriceRule> rules;
  bool operator==(const PriceList&) const = default;
};
GP_FIELDS(PriceList, v.currency, v.micros_per_kwh, v.rules)

// The price including power, at most kPriceMax.  Without a matching rule it is 0.
Price PriceOf(const PriceList& prices, const Node& node, int gpu);

}  // namespace gp
