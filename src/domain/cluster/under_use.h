#pragma once

// What follows when the GPUs of a job are idle: docs/use.md.

#include "domain/cluster/event.h"
#include "domain/cluster/state.h"

namespace gp {

const UnderUseRule& RuleOf(const UnderUsePolicy& policy, const JobSpec& spec);

// So long the GPUs of the lease have been idle until now, of the time that was measured, when its
// node tells this.
int64_t IdleMs(const Lease& lease, const RankUse& reported, int below_percent);

// The same of all the job's GPUs at once, where `lease` has been idle for so long.
int64_t IdleMs(const State& state, const Job& job, const Lease& lease, int64_t idle_ms);

// What the node tells of a lease becomes events, where it is worth them.  `is_last`: the lease has
// ended.
void ObserveUse(const State& state, Instant at, const Job& job, const Lease& lease,
                const RankUse& reported, bool is_last, std::vector<Event>& events);

}  // namespace gp
