#pragma once

// Families of series and their text in Prometheus' exposition format, version 0.0.4.

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gp {

using Labels = std::vector<std::pair<std::string, std::string>>;
using SeriesValues = std::map<Labels, double>;

enum class MetricType { kCounter, kGauge };

struct MetricSeries {
  Labels labels;
  double value = 0;
};

struct MetricFamily {
  std::string name;
  std::string help;
  MetricType type = MetricType::kGauge;
  std::vector<MetricSeries> series;
};

MetricFamily Family(const char* name, const char* help, MetricType type,
                    const SeriesValues& values);

std::string ToText(const std::vector<MetricFamily>& families);

}  // namespace gp
