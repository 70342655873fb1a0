#pragma once

// What stops a job that would fit: limits of its queues, guarantees of others, and budgets.

#include <optional>
#include <string>

#include "domain/cluster/quotas/holdings.h"

namespace gp {

struct QuotaStop {
  enum class Kind {
    kGpus,        // of a limit, in thousandths of GPUs
    kJobs,        // of a limit
    kGpuHours,    // of a limit, in thousandths of GPUs times milliseconds
    kGuarantees,  // of what is guaranteed to nobody, in thousandths of GPUs
    kBudget,      // for this month; its other figures are 0
  };
  Kind kind = Kind::kGpus;
  AccountId account;
  int64_t requested = 0;
  int64_t held = 0;
  int64_t limit = 0;
  BudgetKey budget;  // of kBudget
};

// The first limit that the job would break; `planned` is added to what the state holds.
std::optional<QuotaStop> FindQuotaStop(const State& state, const Job& job, Instant at,
                                       const Holdings& planned = {});

// A limit that the job would break even if it were alone.
std::optional<QuotaStop> FindQuotaNeverMet(const State& state, const Job& job);

// "queue research has a limit of 16 GPUs: 12 in use, 6 more requested"
std::string ToText(const QuotaStop& stop);

}  // namespace gp
