#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/metrics/gpu_gauges.h"
#include "adapters/inbound/metrics/metrics_picture.h"
#include "base/result.h"
#include "ports/inbound/control_gateway.h"
#include "ports/outbound/store_health.h"

namespace gp {

// Faults, remedies, their cost, and free resources, for Prometheus.  Counters count committed
// events and begin at 0 with each controller; gauges show the state.  No series has a job or a user
// as a label, so their number depends only on GPUs, queues and the kinds of errors seen.  The
// writer's thread calls it.
class ControllerMetrics : public CommitObserver {
 public:
  ControllerMetrics();
  ~ControllerMetrics() override;

  // Counts the events of a commit.
  void OnCommit(const State& state, const CommittedRecords& committed) override;
  // Copies the gauges and counters; MetricsText writes them on another thread.
  MetricsPicture Look(const State& state, Instant now) const;

 private:
  struct Counters;
  std::vector<MetricFamily> CounterFamilies() const;
  std::unique_ptr<Counters> counters_;
};

// How far the controller is behind.
std::vector<MetricFamily> LoadGauges(const ControllerLoad& load);

// The other controllers of a cluster, where there are several.
struct StandbyCounts {
  uint64_t term = 0;                         // of the leader
  std::map<std::string, uint64_t> standbys;  // that live; the records that each of them lacks
};
std::vector<MetricFamily> StandbyGauges(const StandbyCounts& counts);
// The machines of their store.
std::vector<MetricFamily> StoreGauges(const std::vector<StoreMember>& members);

// The archive of the journal: for how long it has lacked something, and when it was last verified,
// by the wall clock.
std::vector<MetricFamily> ArchiveGauges(Duration lag, Instant verified_at);

// All metrics in Prometheus' text format.  `names`: "" for the platform's own names, "dcgm" for
// the metrics of NVIDIA's dcgm-exporter with its names.  kInvalidArgument: other names.  Any
// thread.
Result<std::string> MetricsText(MetricsPicture picture, const GpuReadingsOf& readings_of,
                                std::string_view names);

}  // namespace gp
