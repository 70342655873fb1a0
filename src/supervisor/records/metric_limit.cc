#include "supervisor/records/metric_limit.h"

#include <cmath>

#include "supervisor/records/metric_record.h"

namespace gp {
namespace {

bool IsMet(const MetricLimit& limit, double value) {
  if (limit.test == MetricTest::kIsNan) return std::isnan(value);
  const std::optional<double> bound = ParseMetricValue(limit.limit);
  if (!bound) return false;
  return limit.test == MetricTest::kAbove ? value > *bound : value < *bound;
}

}  // namespace

std::optional<int> FirstMet(std::span<const MetricLimit> limits, const MetricValue& value) {
  for (size_t i = 0; i < limits.size(); ++i) {
    if (limits[i].name == value.name && IsMet(limits[i], value.value)) return static_cast<int>(i);
  }
  return std::nullopt;
}

std::string MetricText(const MetricValue& value) {
  return value.name + (std::isnan(value.value) ? " is nan" : " = " + MetricValueText(value.value));
}

}  // namespace gp
