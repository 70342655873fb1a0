#pragma once

#include "cmd/cli.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

// A row for each curve, and messages about those that are no numbers any more.
void PrintMetricTable(const v1::GetJobMetricsReply& reply, Cli& cli);

}  // namespace gp
