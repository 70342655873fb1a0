#pragma once

// What is kept free for queues that are guaranteed something.

#include "domain/cluster/quota.h"

namespace gp {

// Work that cannot be interrupted takes, beyond the guarantees of its queue and those above, only
// what is guaranteed to nobody.  The more others hold or plan to, the less: what is planned and
// does not happen makes nothing possible.
std::optional<QuotaStop> FindGuaranteeStop(const State& state, const Job& job,
                                           const Holdings& planned, const Holding& ask);

}  // namespace gp
