#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/apply/assert_parts.h"

namespace gp {
namespace {

const Lease& LeaseIn(const State& state, LeaseId id) {
  const Lease* lease = state.FindLease(id);
  GP_ASSERT(lease != nullptr, "an event names a live lease");
  return *lease;
}

}  // namespace

void CheckBefore(const State& state, const GangPlaced& event) {
  CheckJobState(state, event.job, JobState::kQueued);
  GP_ASSERT(!event.leases.empty(), "a placement has a lease for each rank");
}
void CheckAfter(const State& state, const GangPlaced& event) {
  CheckJobState(state, event.job, JobState::kStarting);
  GP_ASSERT(JobIn(state, event.job).leases.size() == event.leases.size(),
            "a gang holds all of its leases or none");
}

void CheckBefore(const State& state, const LeaseStarted& event) {
  const Lease& lease = LeaseIn(state, event.lease);
  GP_ASSERT(std::ranges::count(JobIn(state, lease.job).leases, event.lease) == 1,
            "a lease is held by its job");
}
void CheckAfter(const State& state, const LeaseStarted& event) {
  const Lease* lease = state.FindLease(event.lease);
  GP_ASSERT(lease != nullptr && lease->phase == LeasePhase::kStarted,
            "a lease that started is live");
  GP_ASSERT(JobIn(state, lease->job).attempts.back().started_at <= event.started_at,
            "an attempt starts with its first rank");
}

void CheckBefore(const State& state, const LeaseEnded& event) {
  GP_ASSERT(LeaseIn(state, event.lease).job == event.job, "a lease ends for its own job");
  GP_ASSERT(std::ranges::count(JobIn(state, event.job).leases, event.lease) == 1,
            "a lease is held by its job");
}
void CheckAfter(const State& state, const LeaseEnded& event) {
  GP_ASSERT(state.FindLease(event.lease) == nullptr, "a lease ends once");
  GP_ASSERT(std::ranges::count(JobIn(state, event.job).leases, event.lease) == 0,
            "a job holds only live leases");
}

void CheckBefore(const State& state, const LeaseUseNoted& event) {
  LeaseIn(state, event.lease);
  GP_ASSERT(event.idle_ms >= 0, "idle time is no negative time");
}
void CheckAfter(const State& state, const LeaseUseNoted& event) {
  GP_ASSERT(state.FindLease(event.lease)->idle_ms == event.idle_ms,
            "a lease has the idle time of the event");
}

}  // namespace gp
