#include "domain/scheduling/class_floors.h"

#include <algorithm>

#include "domain/cluster/preemption.h"

namespace gp {

void ClassFloors::Add(Oldest& oldest, JobId job, int64_t share) {
  const bool is_reached = oldest.sum * 100 >= oldest.floor;
  if (is_reached && (oldest.shares.empty() || job > oldest.shares.back().first)) return;
  const std::pair<JobId, int64_t> one{job, share};
  oldest.shares.insert(std::ranges::upper_bound(oldest.shares, one), one);
  oldest.sum += share;
  while (!oldest.shares.empty() &&
         (oldest.sum - oldest.shares.back().second) * 100 >= oldest.floor) {
    oldest.sum -= oldest.shares.back().second;
    oldest.shares.pop_back();
  }
}

ClassFloors::Oldest& ClassFloors::Of(const PoolClass& pool_class) {
  const auto [known, is_new] = by_class_.try_emplace(pool_class);
  Oldest& oldest = known->second;
  if (!is_new) return oldest;
  const auto capacity = state_.nodes.capacity.find(pool_class.pool);
  if (capacity != state_.nodes.capacity.end())
    oldest.floor = capacity->second * kWholeShare * state_.policy.class_floor;
  if (const auto held = state_.leases.shares_by_class.find(pool_class);
      held != state_.leases.shares_by_class.end()) {
    for (const auto& [job, share] : held->second) {
      if (oldest.sum * 100 >= oldest.floor) break;
      Add(oldest, job, share);
    }
  }
  for (const auto& [job, share] : charged_[pool_class]) Add(oldest, job, share);
  return oldest;
}

bool ClassFloors::IsBelow(const Job& job) {
  const Oldest& oldest = Of({job.pool, ClassOf(job.spec->policy.priority)});
  if (oldest.sum * 100 < oldest.floor) return true;
  return !oldest.shares.empty() && job.id <= oldest.shares.back().first;
}

void ClassFloors::Charge(const Job& job, int64_t share) {
  const PoolClass pool_class{job.pool, ClassOf(job.spec->policy.priority)};
  charged_[pool_class].push_back({job.id, share});
  if (const auto known = by_class_.find(pool_class); known != by_class_.end())
    Add(known->second, job.id, share);
}

}  // namespace gp
