#pragma once

// Gauges of each GPU: what is granted of it and its latest readings.  Three kinds of use are
// separate: the granted share (share_granted), the time in which any kernel ran (busy), and memory.

#include <functional>
#include <optional>

#include "adapters/inbound/metrics/metrics_picture.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// The latest readings of a node's GPUs, by UUID; empty: none arrived lately.
using GpuReadingsOf = std::function<std::map<std::string, v1::GpuReadings>(NodeId)>;

std::vector<MetricFamily> GpuGauges(const MetricsPicture& picture,
                                    const GpuReadingsOf& readings_of);

// The same with the names and labels of NVIDIA's dcgm-exporter, where it has a counterpart, for
// existing dashboards and alerts.  Names: github.com/NVIDIA/dcgm-exporter,
// etc/default-counters.csv.
std::vector<MetricFamily> DcgmGauges(const MetricsPicture& picture,
                                     const GpuReadingsOf& readings_of);

}  // namespace gp
