#pragma once

// The cluster as a value.  Only Apply changes it; everything in it is ordered, so that two replays
// of one journal agree to the bit.  Apply also maintains the indexes (the sets below), which follow
// from the rest; CheckInvariants verifies them.

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "domain/accounting/account.h"
#include "domain/cluster/policy.h"
#include "domain/faults/incident.h"
#include "domain/faults/trouble.h"
#include "domain/metering/budget.h"
#include "domain/metering/metering.h"
#include "domain/model/access.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/job.h"
#include "domain/model/jobs/job_shape.h"
#include "domain/model/nodes/lease.h"
#include "domain/model/nodes/node.h"
#include "domain/model/queue.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

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

struct State {
  Policy policy;
  TimeLine time;
  // Of the journal: it changes when the journal is started again or cut, because numbers given
  // since then mean other jobs and leases than before.
  uint64_t lineage = 0;
  // Nothing is placed before this instant: leases that a cut journal has lost must have expired.
  Instant quiet_until;
  uint64_t epoch = 0;  // of the controller: grows at each start, fences its predecessor
  uint64_t last_job = 0;
  uint64_t last_lease = 0;
  uint64_t last_pass = 0;
  uint64_t last_incident = 0;
  uint64_t last_task = 0;
  uint64_t last_token = 0;

  std::vector<Node> nodes;  // nodes[id.value]
  std::map<std::string, NodeId> nodes_by_name;
  // GPUs that are not retired, by UUID.  Journals of format 16 may have one UUID in two places.
  std::set<std::pair<std::string, GpuKey>> gpus_by_uuid;
  std::map<JobId, Job> jobs;
  std::map<JobId, Array> arrays;    // of which elements are in `jobs`
  std::map<LeaseId, Lease> leases;  // live ones only
  std::map<std::string, Queue> queues{{kDefaultQueue, {.name = kDefaultQueue}}};  // by path
  std::map<AccountId, Account> accounts;            // none for those that never held anything
  std::map<std::string, Reservation> reservations;  // by name
  std::map<GpuKey, GpuTrouble> troubles;            // none for healthy GPUs
  std::map<IncidentId, Incident> incidents;         // open ones, and closed ones for a while
  // By pool: when GPUs went out of service automatically, within the window
  std::map<std::string, std::vector<Instant>> out_of_service;
  std::map<std::string, IncidentId> breakers;  // pools without automatic remedies
  // When jobs must have left a drained GPU; gpu -1: the node
  std::map<GpuKey, Instant> drain_deadlines;
  Access access;  // roles and tokens
  std::map<BudgetKey, Budget> budgets;
  std::map<BudgetUser, BudgetLevel> budget_levels;  // of users that reached one this month
  Metering metering;                                // where the time of GPUs went
  std::map<std::string, JobId> jobs_by_request;     // "<uid>/<request id>"; an array by its own id

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
  std::set<std::pair<Instant, NodeId>> losses;  // lost nodes, by when their leases have ended
  std::set<std::pair<Instant, std::string>> reservation_ends;
  // Jobs in the way of maintenance, by when they are ordered to stop
  std::set<std::pair<Instant, JobId>> maintenance_stops;
  std::set<std::pair<Instant, TokenId>> token_ends;
  std::set<std::pair<Instant, JobId>> finished;   // terminal, by end
  std::set<std::pair<JobId, JobId>> preemptions;  // preemptor and victim
  std::set<JobId> nominated;                      // queued jobs with nominated nodes
  std::set<JobId> movable;                        // IsMovable
  std::set<JobId> moving;                         // jobs that have a destination
  std::set<JobId> recovering;                     // IsRecovering
  std::set<std::pair<Instant, JobId>> moved;      // jobs that were ever moved, by the last time
  // GPUs with a remedy that has not begun
  std::set<GpuKey> remedies;
  // Open incidents that close automatically, by when
  std::set<std::pair<Instant, IncidentId>> incident_ends;
  std::set<std::pair<Instant, IncidentId>> closed_incidents;
  std::map<PoolClass, std::set<JobId>> evictable;  // IsEvictable; none is empty
  // Thousandths of GPUs held now, by job; none is 0 or empty
  std::map<PoolClass, std::map<JobId, int64_t>> shares_by_class;
  std::map<std::string, int64_t> capacity;  // GPUs installed, by pool; none is 0
  // The same by size; none is 0 or empty
  std::map<std::string, std::map<GpuSize, int64_t>> gpu_sizes;

  // The nodes by the number of their last change, for planners.  It is not part of the value and
  // starts at 0 in each process.
  uint64_t node_changes = 0;
  std::set<std::pair<uint64_t, NodeId>> nodes_by_change;

  // Whether there are queues below it; then it has no jobs itself.
  bool HasChildren(const std::string& queue) const;
  const Node* FindNode(NodeId id) const;
  const Job* FindJob(JobId id) const;
  const Lease* FindLease(LeaseId id) const;
};

// The queue of a job with this spec: the one that it names, else that of its project, else the
// default.  The queue may not exist.
const std::string& QueueFor(const State& state, const JobSpec& spec);

// Adds a queued job to the indexes of the queue, or removes it.
void Enqueue(State& state, const Job& job);
void Dequeue(State& state, const Job& job);

// Adds a job to the index of evictable jobs, or removes it.
void IndexEvictable(State& state, const Job& job, bool is_evictable);

// The request index's key: ids of different users never collide.
std::string RequestKey(const User& user, const std::string& request_id);

// The first instant at which a Tick would do something; ns == 0: never.
Instant NextDeadline(const State& state);

}  // namespace gp
