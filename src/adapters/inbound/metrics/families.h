#pragma once

// Families of series for prometheus-cpp.

#include <prometheus/metric_family.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gp {

using Labels = std::vector<std::pair<std::string, std::string>>;
using Values = std::map<Labels, double>;

// Adds one series to the family.
void AddMetric(prometheus::MetricFamily& family, const Labels& labels, double value);

prometheus::MetricFamily Family(const char* name, const char* help, prometheus::MetricType type,
                                const Values& values);

}  // namespace gp
