#include "adapters/inbound/metrics/families.h"

namespace gp {

void AddMetric(prometheus::MetricFamily& family, const Labels& labels, double value) {
  prometheus::ClientMetric& metric = family.metric.emplace_back();
  metric.label.reserve(labels.size());
  for (const auto& [label, text] : labels) metric.label.push_back({label, text});
  (family.type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) =
      value;
}

prometheus::MetricFamily Family(const char* name, const char* help, prometheus::MetricType type,
                                const Values& values) {
  prometheus::MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  for (const auto& [labels, value] : values) AddMetric(family, labels, value);
  return family;
}

}  // namespace gp
