#pragma once

#include <cstdint>
#include <string>

#include "domain/accounting/account.h"
#include "domain/metering/budget.h"
#include "domain/model/nodes/gpu.h"

namespace gp {

// A limit of GPU-hours is counted in thousandths of GPUs times milliseconds.
inline constexpr int64_t kHourOfGpu = int64_t{3'600'000} * kWholeShare;

// Why a job that would fit may not start, with the figures that say so.
struct QuotaStop {
  enum class Kind {
    kGpus,        // of a limit, in thousandths of GPUs
    kJobs,        // of a limit
    kGpuHours,    // of a limit, in thousandths of GPUs times milliseconds
    kGuarantees,  // of what is guaranteed to nobody, in thousandths of GPUs
    kCpus,        // of a limit, cores
    kMemory,      // of a limit, in MiB of hosts
    kBudget,      // for this month; its other figures are 0
  };
  Kind kind = Kind::kGpus;
  AccountId account;
  int64_t requested = 0;
  int64_t held = 0;
  int64_t limit = 0;
  BudgetKey budget;  // of kBudget
};

// "queue research has a limit of 16 GPUs: 12 in use, 6 more requested"
std::string ToText(const QuotaStop& stop);

}  // namespace gp
