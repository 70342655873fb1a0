#pragma once

// Deadlines for grpc::ClientContext::set_deadline and the like.  gRPC's default deadlines use the
// wall clock, and a step of that clock would move them.

#include <grpc/support/time.h>

#include <chrono>

namespace gp {

// The deadline `time` from now, on the monotonic clock.
inline gpr_timespec DeadlineIn(std::chrono::nanoseconds time) {
  const gpr_timespec span = gpr_time_from_nanos(time.count(), GPR_TIMESPAN);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span);
}

}  // namespace gp
