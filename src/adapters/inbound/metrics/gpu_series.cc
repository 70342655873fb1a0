#include "adapters/inbound/metrics/gpu_series.h"

namespace gp {

int GpuSeries::Add(const char* name, const char* help, prometheus::MetricType type) {
  families_.push_back(Family(name, help, type, {}));
  return static_cast<int>(families_.size()) - 1;
}

void GpuSeries::Set(int family, const Labels& labels, double value) {
  AddMetric(families_[static_cast<size_t>(family)], labels, value);
}

std::vector<prometheus::MetricFamily> GpuSeries::Take() {
  std::erase_if(families_,
                [](const prometheus::MetricFamily& family) { return family.metric.empty(); });
  return std::move(families_);
}

}  // namespace gp
