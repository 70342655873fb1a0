#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "adapters/inbound/metrics/families.h"
#include "adapters/inbound/metrics/gpu_gauges.h"

namespace gp {

// Builds families with one series for each GPU.  There are many series, so each is written at once,
// without sorting.  One thread.
class GpuSeries {
 public:
  struct One {
    const NodePicture& node;
    int index;
    const GpuFacts& facts;
    const GpuPicture& now;
  };

  // Adds a family and returns its number for Set.
  int Add(const char* name, const char* help, MetricType type = MetricType::kGauge);
  void Set(int family, const Labels& labels, double value);

  // Calls `tell` for each GPU with its latest readings; nullptr: none.
  template <typename Tell>
  void ForEach(const MetricsPicture& picture, const GpuReadingsOf& readings_of, const Tell& tell) {
    for (const NodePicture& node : picture.nodes) {
      const std::map<std::string, v1::GpuReadings> readings = readings_of(node.id);
      for (size_t i = 0; i < node.gpus.size(); ++i) {
        const auto seen = readings.find(node.facts->gpus[i].uuid);
        tell(One{node, static_cast<int>(i), node.facts->gpus[i], node.gpus[i]},
             seen != readings.end() ? &seen->second : nullptr);
      }
    }
  }

  // The families that have series.
  std::vector<MetricFamily> Take();

 private:
  std::vector<MetricFamily> families_;
};

}  // namespace gp
