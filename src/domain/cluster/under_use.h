#pragma once

// What follows when the GPUs of a job are idle: docs/use.md.

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"

namespace gp {

const UnderUseRule& RuleOf(const UnderUsePolicy& policy, const JobSpec& spec);

// How long the GPUs of the lease have been idle until now, in measured time, after this report of
// its node.
int64_t IdleMs(const Lease& lease, const RankUse& reported, int below_percent);

// The same for all GPUs of the job together; `idle_ms` is the value of `lease`.
int64_t IdleMs(const State& state, const Job& job, const Lease& lease, int64_t idle_ms);

// Turns the use that the node reports of a lease into events if it changed enough.  `is_last`: the
// lease has ended.
void ObserveUse(const State& state, Instant at, const Job& job, const Lease& lease,
                const RankUse& reported, bool is_last, std::vector<Event>& events);

}  // namespace gp
