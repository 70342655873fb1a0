#include "adapters/inbound/metrics/families.h"

namespace gp {

prometheus::MetricFamily Family(const char* name, const char* help, prometheus::MetricType type, const Values& values) {
  prometheus::MetricFamily family;
  family.name = name;
  family.help = help;
  family.type = type;
  for (const auto& [labels, value] : values) {
    prometheus::ClientMetric metric;
    for (const auto& [label, text] : labels) metric.label.push_back({label, text});
    (type == prometheus::MetricType::Counter ? metric.counter.value : metric.gauge.value) = value;
    family.metric.push_back(std::move(metric));
  }
  return family;
}

}  // namespace gp
