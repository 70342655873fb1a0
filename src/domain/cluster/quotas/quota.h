#pragma once

// What stops a job that would fit: limits of its queues, guarantees of others, and budgets.

#include <optional>
#include <string>

#include "domain/cluster/quotas/holdings.h"
#include "domain/cluster/quotas/quota_stop.h"

namespace gp {

// The first limit that the job would break; `planned` is added to what the state holds.
std::optional<QuotaStop> FindQuotaStop(const State& state, const Job& job, Instant at,
                                       const Holdings& planned = {});

// A limit that the job would break even if it were alone.
std::optional<QuotaStop> FindQuotaNeverMet(const State& state, const Job& job);

}  // namespace gp
