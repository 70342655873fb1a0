#include "domain/cluster/quotas/quota_stop.h"

#include "base/text.h"
#include "base/units.h"
#include "domain/cluster/quotas/budgets.h"

namespace gp {
namespace {

std::string Gpus(int64_t share) {
  const int64_t rest = share % kWholeShare;
  std::string text = std::to_string(share / kWholeShare);
  if (rest == 0) return text;
  std::string places = std::to_string(kWholeShare + rest).substr(1);
  places.erase(places.find_last_not_of('0') + 1);
  return text + "." + places;
}

std::string MemoryText(int64_t mib) { return BytesToText(mib * kMiB); }

std::string Counted(int64_t share) {
  return Gpus(share) + (share == kWholeShare ? " GPU" : " GPUs");
}

// The text for a job stopped because the rest is guaranteed to others.
std::string OverGuarantees(const QuotaStop& stop) {
  if (stop.held >= stop.limit)
    return " is at its limit for non-preemptible jobs (" + Gpus(stop.held) + " of " +
           Counted(stop.limit) + ")";
  return " would exceed its limit for non-preemptible jobs (" + Gpus(stop.held) + " of " +
         Counted(stop.limit) + " in use, " + Gpus(stop.requested) + " more requested)";
}

std::string Who(const AccountId& account) {
  if (account.array.value != 0) return "array " + ToText(account.array);
  return (account.user.empty() ? "" : "user " + account.user + " in ") + "queue " + account.queue;
}

}  // namespace

std::string ToText(const QuotaStop& stop) {
  const std::string who = Who(stop.account);
  switch (stop.kind) {
    case QuotaStop::Kind::kGpus:
      return who + " has a limit of " + Counted(stop.limit) + ": " + Gpus(stop.held) + " in use, " +
             Gpus(stop.requested) + " more requested";
    case QuotaStop::Kind::kJobs: {
      const std::string noun = stop.account.array.value != 0 ? "running element" : "running job";
      return who + " has a limit of " + Count(stop.limit, noun) + ": " + std::to_string(stop.held) +
             (stop.held == 1 ? " runs" : " run");
    }
    case QuotaStop::Kind::kGpuHours:
      return who + " has a limit of " + Count(stop.limit / kHourOfGpu, "GPU-hour") +
             " in each period: " + std::to_string(stop.held / kHourOfGpu) + " used";
    case QuotaStop::Kind::kCpus:
      return who + " has a limit of " + Count(stop.limit, "core") + ": " +
             std::to_string(stop.held) + " in use, " + std::to_string(stop.requested) +
             " more requested";
    case QuotaStop::Kind::kMemory:
      return who + " has a memory limit of " + MemoryText(stop.limit) + ": " +
             MemoryText(stop.held) + " in use, " + MemoryText(stop.requested) + " more requested";
    case QuotaStop::Kind::kBudget: return SaysUsedUp(stop.budget);
    case QuotaStop::Kind::kGuarantees:
      return who + OverGuarantees(stop) + "; submit with --preemptible to borrow idle GPUs";
  }
  return who;
}

}  // namespace gp
