#pragma once

// Faults, what was done about them, what they cost, and what is free, as Prometheus reads it.
// Counters follow what is committed and begin at 0 with each controller; what the state knows is
// told as it is.  No series is named after a job or a user, so there are so many for each GPU and
// each queue, and kinds of errors that were seen.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/metrics/gpu_gauges.h"
#include "adapters/inbound/metrics/metrics_picture.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"

namespace gp {

class ControllerMetrics : public CommitObserver {
 public:
  ControllerMetrics();
  ~ControllerMetrics() override;

  // By the writer's thread.
  void OnCommit(const State& state, const std::vector<Event>& events) override;
  // By the writer's thread too.
  MetricsPicture Look(const State& state, Instant now) const;

 private:
  struct Counters;
  std::unique_ptr<Counters> counters_;
};

// All of it in Prometheus' text format; `names`: "", the platform's own, or "dcgm", those of
// NVIDIA's dcgm-exporter for what it would tell.  Any thread.  kInvalidArgument: there are no such
// names.
Result<std::string> MetricsText(MetricsPicture picture, const GpuReadingsOf& readings_of,
                                std::string_view names);

}  // namespace gp
