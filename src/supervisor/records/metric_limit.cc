#include "supervisor/records/metric_limit.h"

#include <cmath>
#include <optional>
#include <string>

#include "supervisor/records/metric_record.h"

namespace gp {
namespace {

bool IsMet(const MetricLimit& limit, double value) {
  if (limit.test == MetricTest::kIsNan) return std::isnan(value);
  const std::optional<double> bound = ParseMetricValue(limit.limit);
  if (!bound) return false;
  return limit.test == MetricTest::kAbove ? value > *bound : value < *bound;
}

// "train/loss is nan", "lr = 0.1"
std::string Text(const MetricValue& value) {
  return value.name + (std::isnan(value.value) ? " is nan" : " = " + MetricValueText(value.value));
}

}  // namespace

bool JudgeMetric(std::span<const MetricLimit> limits, const MetricValue& value,
                 AttemptProgress& progress) {
  if (progress.metric_limit != 0) return false;
  for (size_t i = 0; i < limits.size(); ++i) {
    if (limits[i].name != value.name || !IsMet(limits[i], value.value)) continue;
    progress.metric_limit = static_cast<int>(i) + 1;
    progress.metric_value = Text(value) + " at step " + std::to_string(progress.step);
    return true;
  }
  return false;
}

}  // namespace gp
