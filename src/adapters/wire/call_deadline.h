#pragma once

// How long a call may take, for grpc::ClientContext::set_deadline and the like.  gRPC's own choice
// is a time of the wall clock, which a step in that moment moves.

#include <grpc/support/time.h>

#include <chrono>

namespace gp {

// So long from now, by a clock that nobody steps.
inline gpr_timespec DeadlineIn(std::chrono::nanoseconds time) {
  const gpr_timespec span = gpr_time_from_nanos(time.count(), GPR_TIMESPAN);
  return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), span);
}

}  // namespace gp
