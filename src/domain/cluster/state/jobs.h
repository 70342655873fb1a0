#pragma once

// The jobs of the cluster and their indexes.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "base/id_map.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/job.h"
#include "domain/model/jobs/job_shape.h"

namespace gp {

// Order within an equivalence class: by priority, then by job id.
struct QueueKey {
  int priority_descending = 0;  // 1000 - priority
  JobId job;
  auto operator<=>(const QueueKey&) const = default;
};
QueueKey KeyOf(const Job& job);

// Jobs of one equivalence class fit in the same places for the same time, may preempt the same jobs
// and have the same limits: where the first cannot start, the others cannot either.
struct EquivalenceClass {
  int job_class = 0;
  int service_level = 0;
  bool preemptible = false;
  std::string user;
  std::string queue;
  Duration stay;  // LongestStay: a job that ends in time fits where others do not
  JobShape shape;
  JobId array;  // if it limits how many elements run
  auto operator<=>(const EquivalenceClass&) const = default;
};
EquivalenceClass EquivalenceClassOf(const Job& job);

// Jobs of one pool and class.
struct PoolClass {
  std::string pool;
  int job_class = 0;
  auto operator<=>(const PoolClass&) const = default;
};
PoolClass PoolClassOf(const Job& job);

// The request index's key: ids of different users never collide.
std::string RequestKey(const User& user, const std::string& request_id);

// The indexes of jobs that do not grow with the finished ones.
struct OpenJobIndexes {
  std::set<JobId> queued;  // kQueued
  std::map<EquivalenceClass, std::set<QueueKey>>
      equivalence_classes;                      // the same by class; none is empty
  std::set<std::pair<Instant, JobId>> retries;  // kRetryWait, by eligible_at
  // A job that is waited for, and the kBlocked job that waits
  std::set<std::pair<JobId, JobId>> dependents;
  // kBlocked jobs whose dependencies are all decided
  std::set<JobId> decided;
  std::set<std::pair<Instant, JobId>> limits;  // time limits of jobs that run
  // Jobs whose users were not notified yet, by LimitNoticeAt
  std::set<std::pair<Instant, JobId>> limit_notices;
  // Number of placed jobs with a time limit, including those that are stopping
  int64_t limited = 0;
  // Jobs in the way of maintenance, by when they are ordered to stop
  std::set<std::pair<Instant, JobId>> maintenance_stops;
  std::set<std::pair<JobId, JobId>> preemptions;   // preemptor and victim
  std::set<JobId> nominated;                       // queued jobs with nominated nodes
  std::set<JobId> movable;                         // IsMovable
  std::set<JobId> moving;                          // jobs that have a destination
  std::set<JobId> recovering;                      // IsRecovering
  std::set<std::pair<Instant, JobId>> moved;       // jobs that were ever moved, by the last time
  std::map<PoolClass, std::set<JobId>> evictable;  // IsEvictable; none is empty
  // Queued jobs that have never been placed, by queue, the longest wait first; none is empty
  std::map<std::string, std::set<std::pair<Instant, JobId>>> first_waits;

  bool operator==(const OpenJobIndexes&) const = default;
};

// `last`, `all` and `arrays` are values; the rest are indexes, which follow from the values
// (job_indexes.h).
struct JobStore : OpenJobIndexes {
  uint64_t last = 0;  // the highest job id that was given
  IdMap<JobId, Job> all;
  std::map<JobId, Array> arrays;                 // of which elements are in `all`
  std::map<std::string, JobId> by_request;       // by RequestKey; an array by its own id
  std::set<std::pair<Instant, JobId>> finished;  // terminal, by end

  const Job* Find(JobId id) const { return all.Find(id); }

  // Adds a queued job to the indexes of the queue, or removes it.
  void Enqueue(const Job& job);
  void Dequeue(const Job& job);
  // Adds a job to the index of evictable jobs, or removes it.
  void IndexEvictable(const Job& job, bool is_evictable);
  // Adds a job with a running time limit to the indexes of limits, or removes it.
  void IndexLimit(const Job& job, bool is_in);
  // Adds the job to the indexes of jobs that are movable, moving, recovering or were ever moved;
  // removes it from the first three where they no longer apply.
  void IndexMoves(const Job& job);
};

}  // namespace gp
