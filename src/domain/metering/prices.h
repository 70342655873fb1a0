#pragma once

// What a GPU-hour costs: rules by pool, model, node and label, of which the first that fits counts,
// and the power that such a GPU is reckoned to draw.

#include <cstdint>
#include <string>
#include <vector>

#include "domain/metering/money.h"
#include "domain/model/node.h"

namespace gp {

inline constexpr size_t kPriceRulesMax = 1'000;
inline constexpr int kWattsMax = 100'000;
inline constexpr int64_t kMicrosPerKwhMax = int64_t{100} * kMicrosPerUnit;

struct PriceRule {
  std::string pool;        // empty: any
  std::string model;       // a part of its name; empty: any
  std::string node;        // empty: any
  std::string label_name;  // that the node has; empty: any
  std::string label_value;
  Price per_gpu_hour;  // without power
  int watts = 0;       // of one GPU, and its part of the node and of the cooling
  bool operator==(const PriceRule&) const = default;
};

struct PriceList {
  std::string currency = "USD";
  int64_t micros_per_kwh = 0;
  std::vector<PriceRule> rules;
  bool operator==(const PriceList&) const = default;
};

// Power included, at most kPriceMax.  Without a rule that fits it costs nothing.
Price PriceOf(const PriceList& prices, const Node& node, int gpu);

}  // namespace gp
