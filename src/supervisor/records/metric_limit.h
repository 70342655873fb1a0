#pragma once

#include <span>

#include "ports/outbound/attempt_runner.h"
#include "supervisor/records/report_line.h"

namespace gp {

// Notes in `progress` that the value, which is of its step, meets one of the limits; the first that
// was met stays.  Returns whether there is news.
bool JudgeMetric(std::span<const MetricLimit> limits, const MetricValue& value,
                 AttemptProgress& progress);

}  // namespace gp
