#pragma once

// The price of GPU time, in whole millionths of a currency unit.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "simulation/run/usage.h"

namespace gp {

struct ModelPrice {
  std::string model;  // part of the GPU's name, as in a job file
  int64_t micros_per_hour = 0;
};

// A price list by GPU model.
class Prices {
 public:
  // "H100=2.50": at most six decimals, at most 10,000.  kInvalidArgument otherwise.
  Status Add(std::string_view text);
  bool empty() const { return prices_.empty(); }
  // The matching entry with the longest model text; nullptr: this model has no price.
  const ModelPrice* Find(std::string_view model) const;

 private:
  std::vector<ModelPrice> prices_;
};

struct UsageCost {
  Wide installed = 0;  // millionths
  Wide held = 0;
  std::vector<std::string> models_without_price;
};

UsageCost CostOf(const Usage& usage, const Prices& prices);

double ToAmount(Wide micros);

}  // namespace gp
