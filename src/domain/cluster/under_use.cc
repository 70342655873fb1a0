#include "domain/cluster/under_use.h"

#include <algorithm>
#include <string>

#include "domain/cluster/preemption.h"

namespace gp {
namespace {

std::vector<int> GpusOf(const Lease& lease) {
  std::vector<int> gpus;
  for (const GpuGrant& grant : lease.gpus) gpus.push_back(grant.gpu);
  return gpus;
}

bool IsDue(Duration after, int64_t idle_ms) {
  return after.ns > 0 && idle_ms >= after.ToMilliseconds();
}

}  // namespace

const UnderUseRule& RuleOf(const UnderUsePolicy& policy, const JobSpec& spec) {
  if (spec.program.interactive) return policy.interactive;
  const int job_class = ClassOf(spec.policy.priority);
  return job_class == 2 ? policy.high : job_class == 1 ? policy.medium : policy.low;
}

int64_t IdleMs(const Lease& lease, const RankUse& reported, int below_percent) {
  const BusyTime before = BusyTimeOf(lease.use);
  const BusyTime now = BusyTimeOf(Added(lease.use, lease.reported, reported));
  const int64_t seen = now.seen_ms - before.seen_ms;
  if (seen == 0) return lease.idle_ms;  // the time in between was not measured
  if ((now.busy_ms - before.busy_ms) * 100 >= below_percent * seen) return 0;
  return lease.idle_ms + seen / static_cast<int64_t>(reported.gpus.size());
}

int64_t IdleMs(const State& state, const Job& job, const Lease& lease, int64_t idle_ms) {
  for (const LeaseId id : job.leases) {
    if (id != lease.id) idle_ms = std::min(idle_ms, state.FindLease(id)->idle_ms);
  }
  return idle_ms;
}

void ObserveUse(const State& state, Instant at, const Job& job, const Lease& lease,
                const RankUse& reported, bool is_last, std::vector<Event>& events) {
  if (reported.since.ns == 0 || reported == lease.reported ||
      !Follows(lease.reported, reported, GpusOf(lease)))
    return;
  const RankUse sum = Added(lease.use, lease.reported, reported);
  if (!FitsInto(sum, at - job.attempts.back().placed_at) ||
      (!is_last && !IsWorthNoting(lease.use, sum)))
    return;
  const UnderUseRule& rule = RuleOf(state.policy.under_use, *job.spec);
  const int64_t idle_ms = IdleMs(lease, reported, rule.below_percent);
  events.push_back(LeaseUseNoted{lease.id, reported, idle_ms});
  if (is_last || job.stop != StopCause::kNone) return;
  const int64_t all_idle_ms = IdleMs(state, job, lease, idle_ms);
  const auto reason = [&] {
    return "its GPUs were busy for less than " + std::to_string(rule.below_percent) +
           " % of the last " + ToText(Duration::Seconds(all_idle_ms / 1000));
  };
  if (IsDue(rule.stop_after, all_idle_ms)) {
    events.push_back(JobStopOrdered{job.id, StopCause::kUnderUse, StopOrder::kGraceful, reason()});
  } else if (IsDue(rule.warn_after, all_idle_ms) && !job.is_idle_notified) {
    const std::string then =
        rule.stop_after.ns == 0 ? ""
        : KeepsWork(*job.spec)
            ? "; after " + ToText(rule.stop_after) + " it is interrupted and held"
            : "; after " + ToText(rule.stop_after) + " it is stopped";
    events.push_back(JobIdle{job.id, reason() + then});
  }
}

}  // namespace gp
