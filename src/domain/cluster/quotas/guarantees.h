#pragma once

// Capacity kept free for the guarantees of queues.

#include "domain/cluster/quotas/holdings.h"
#include "domain/cluster/quotas/quota_stop.h"

namespace gp {

// Beyond the guarantees of its queue and the queues above, a job that cannot be preempted may take
// only capacity that is guaranteed to nobody.  Planned holdings only reduce that capacity, so that
// a plan that does not happen never allows more.
std::optional<QuotaStop> FindGuaranteeStop(const State& state, const Job& job,
                                           const Holdings& planned, const Holding& ask);

}  // namespace gp
