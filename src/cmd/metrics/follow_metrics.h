#pragma once

// Following the metrics of a job to its end, by a stream of what is new.

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "cmd/cli.h"
#include "cmd/metrics/series_points.h"

namespace gp {

struct FollowedMetrics {
  v1::Job job;  // as seen last
  bool is_interrupted = false;
  int64_t points = 0;
};

using TakePoints = std::function<Status(const v1::Job&, const SeriesPoints&)>;

// Gives each point to `take` once, those of all attempts: those that are there in the order of
// their time.  Returns some seconds after the job's end, when nothing more comes, or at once if
// that is long past; and after Ctrl-C.  A second Ctrl-C ends the program.  Errors: those of `take`;
// kNotFound; kUnavailable when no controller answered for a minute.
Result<FollowedMetrics> FollowMetrics(Cli& cli, v1::WatchJobMetricsRequest request,
                                      const TakePoints& take);

}  // namespace gp
