#include "adapters/inbound/metrics/gpu_series.h"

namespace gp {

int GpuSeries::Add(const char* name, const char* help, MetricType type) {
  families_.push_back(Family(name, help, type, {}));
  return static_cast<int>(families_.size()) - 1;
}

void GpuSeries::Set(int family, const Labels& labels, double value) {
  families_[static_cast<size_t>(family)].series.push_back({labels, value});
}

std::vector<MetricFamily> GpuSeries::Take() {
  std::erase_if(families_, [](const MetricFamily& family) { return family.series.empty(); });
  return std::move(families_);
}

}  // namespace gp
