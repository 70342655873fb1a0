#pragma once

// A place in a job's metrics, as text: up to where each rank of each attempt has been read.
//   1.0-4096,1.1-300: of attempt 1, 4,096 bytes of rank 0 and 300 of rank 1

#include <string>

#include "adapters/inbound/api/job_reports.h"
#include "base/result.h"

namespace gp {

// Only of these places.
std::string ToPosition(const MetricEnds& ends, const MetricPlaces& places);
// kInvalidArgument: malformed.  Leaves out what is of no such place.
Result<MetricEnds> ParsePosition(const std::string& text, const MetricPlaces& places);

}  // namespace gp
