#pragma once

// The state as users see it.  The messages are the one view model: gRPC sends them, REST and
// `-o json` are their JSON form, and the tables of the CLI are drawn from them.

#include "domain/cluster/state/state.h"
#include "domain/scheduling/reasons/why_pending.h"
#include "gpu_platform/v1/control.pb.h"

namespace gp {

// An instant as wall clock time, to the millisecond.
std::string TimeText(const State& state, Instant at);

namespace v1 = gpu_platform::v1;

v1::JobState ToProto(ShownJobState state);
// Why a job is in its state; empty: no reason.
struct ShownReason {
  std::string code;  // of a waiting job; empty: the job does not wait
  std::string text;
};
ShownReason ReasonOf(const Job& job, PendingReasons& reasons);

// One job with its whole history.
// `plan`: as in PendingReasons.
void JobView(const State& state, const Job& job, Instant now, v1::Job* message,
             const Plan* plan = nullptr);
// One job as a line of a list.
void JobLine(const State& state, const Job& job, Instant now, PendingReasons& reasons,
             v1::Job* message);

}  // namespace gp
