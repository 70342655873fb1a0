#pragma once

// Families of series, as prometheus-cpp writes them.

#include <prometheus/metric_family.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gp {

using Labels = std::vector<std::pair<std::string, std::string>>;
using Values = std::map<Labels, double>;

// One series of the family.
void AddMetric(prometheus::MetricFamily& family, const Labels& labels, double value);

prometheus::MetricFamily Family(const char* name, const char* help, prometheus::MetricType type,
                                const Values& values);

}  // namespace gp
