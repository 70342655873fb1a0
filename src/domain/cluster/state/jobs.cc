#include "domain/cluster/state/jobs.h"

#include "base/assert.h"
#include "domain/model/jobs/preemptible.h"

namespace gp {

QueueKey KeyOf(const Job& job) { return {kPriorityMax - job.spec->policy.priority, job.id}; }

EquivalenceClass EquivalenceClassOf(const Job& job) {
  const int level = ServiceLevel(job, Instant{});  // constant while the job is pending
  return {ClassOf(job.spec->policy.priority),
          level,
          job.spec->policy.preemptible,
          job.user.name,
          job.queue,
          LongestStay(*job.spec),
          ShapeOf(job),
          LimitingArray(job)};
}

PoolClass PoolClassOf(const Job& job) { return {job.pool, ClassOf(job.spec->policy.priority)}; }

std::string RequestKey(const User& user, const std::string& request_id) {
  return std::to_string(user.uid) + "/" + request_id;
}

void JobStore::Enqueue(const Job& job) {
  queued.insert(job.id);
  equivalence_classes[EquivalenceClassOf(job)].insert(KeyOf(job));
  if (job.attempts.empty()) first_waits[job.queue].insert({job.queued_at, job.id});
}

void JobStore::Dequeue(const Job& job) {
  queued.erase(job.id);
  const auto equivalence_class = equivalence_classes.find(EquivalenceClassOf(job));
  GP_ASSERT(equivalence_class != equivalence_classes.end(),
            "a queued job has an equivalence class");
  equivalence_class->second.erase(KeyOf(job));
  if (equivalence_class->second.empty()) equivalence_classes.erase(equivalence_class);
  const auto waits = first_waits.find(job.queue);
  if (waits == first_waits.end()) return;
  waits->second.erase({job.queued_at, job.id});
  if (waits->second.empty()) first_waits.erase(waits);
}

void JobStore::IndexEvictable(const Job& job, bool is_evictable) {
  const PoolClass key = PoolClassOf(job);
  if (is_evictable) {
    evictable[key].insert(job.id);
    return;
  }
  const auto found = evictable.find(key);
  if (found == evictable.end()) return;
  found->second.erase(job.id);
  if (found->second.empty()) evictable.erase(found);
}

void JobStore::IndexLimit(const Job& job, bool is_in) {
  const std::pair limit(LimitReachedAt(job), job.id), notice(LimitNoticeAt(job), job.id);
  if (!is_in) {
    limits.erase(limit);
    limit_notices.erase(notice);
    return;
  }
  limits.insert(limit);
  if (!job.is_limit_notified) limit_notices.insert(notice);
}

void JobStore::IndexMoves(const Job& job) {
  const auto enter = [&job](bool belongs, std::set<JobId>& index) {
    belongs ? static_cast<void>(index.insert(job.id)) : static_cast<void>(index.erase(job.id));
  };
  enter(IsMovable(job), movable);
  enter(!job.destination.empty(), moving);
  enter(IsRecovering(job), recovering);
  if (job.moved_at.ns != 0) moved.insert({job.moved_at, job.id});
}

}  // namespace gp
