#pragma once

// The lines of a "<rank>.metrics" file beside a job's output, and of the controller's copy:
//   <milliseconds since 1970> <step> <count> <min> <max> <last> <name>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ports/outbound/metric_store.h"

namespace gp {

inline constexpr size_t kMetricsMax = 64;  // names of one rank

// A number as programs print it, or nan, inf, -inf; nullopt: neither.
std::optional<double> ParseMetricValue(std::string_view text);
// The shortest text with the same value.
std::string MetricValueText(double value);

std::string MetricsPath(const std::string& directory, const std::string& name);

// With its line end.
std::string ToLine(const MetricPoint& point);
// All complete and valid lines.
std::vector<MetricPoint> ParseMetricRecords(std::string_view bytes);

}  // namespace gp
