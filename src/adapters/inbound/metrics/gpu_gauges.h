#pragma once

// Each GPU: what of it is granted, and what its node last read.  Three kinds of use are kept apart:
// what is granted (share_granted), how much of the time anything ran on it (busy), and its memory.

#include <functional>
#include <optional>

#include "adapters/inbound/metrics/metrics_picture.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The latest of a node's GPUs, by position; empty: nothing was heard lately.
using GpuReadingsOf = std::function<std::map<std::string, v1::GpuReadings>(NodeId)>;

std::vector<prometheus::MetricFamily> GpuGauges(const MetricsPicture& picture,
                                                const GpuReadingsOf& readings_of);

// The same by the names and labels of NVIDIA's dcgm-exporter, as far as it is known here: for
// dashboards and alerts that exist.  Facts: github.com/NVIDIA/dcgm-exporter,
// etc/default-counters.csv.
std::vector<prometheus::MetricFamily> DcgmGauges(const MetricsPicture& picture,
                                                 const GpuReadingsOf& readings_of);

}  // namespace gp
