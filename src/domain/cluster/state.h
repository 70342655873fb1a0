#pragma once

// The cluster as a value.  Only Apply changes it; everything in it is ordered, so that two replays
// of one journal agree to the bit.  Indexes (the sets below) follow from the rest and are kept by
// Apply too; CheckInvariants proves them.

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
#include "domain/model/array.h"
#include "domain/model/job.h"
#include "domain/model/job_shape.h"
#include "domain/model/lease.h"
#include "domain/model/node.h"
#include "domain/model/queue.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

namespace gp {

// Order within a line: priority first, then who came first.
struct QueueKey {
  int priority_descending = 0;  // 1000 - priority
  JobId job;
  auto operator<=>(const QueueKey&) const = default;
};
QueueKey KeyOf(const Job& job);

// Jobs of one line fit in the same places for as long, may interrupt the same others and stand
// under the same limits: what the first cannot get now, the others cannot either.
struct EquivalenceClass {
  int job_class = 0;
  int service_level = 0;
  bool preemptible = false;
  std::string user;
  std::string queue;
  Duration stay;  // LongestStay: who leaves in time fits where others do not
  JobShape shape;
  JobId array;  // of which no more than so many may run
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
  // Of the journal: another one where it began anew or was cut, so that numbers given since mean
  // other jobs and leases than before.
  uint64_t lineage = 0;
  // Nothing is placed before: leases that a cut journal has forgotten must have run out.
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
  // Those that are not retired, by UUID.  One UUID in two places: journals of format 16 have such
  // GPUs.
  std::set<std::pair<std::string, GpuKey>> gpus_by_uuid;
  std::map<JobId, Job> jobs;
  std::map<JobId, Array> arrays;    // of which elements are in `jobs`
  std::map<LeaseId, Lease> leases;  // live ones only
  std::map<std::string, Queue> queues{{kDefaultQueue, {.name = kDefaultQueue}}};  // by path
  std::map<AccountId, Account> accounts;            // who never held anything has none
  std::map<std::string, Reservation> reservations;  // by name
  std::map<GpuKey, GpuTrouble> troubles;            // GPUs that are well have none
  std::map<IncidentId, Incident> incidents;         // open ones, and closed ones for a while
  // By pool: GPUs taken out by themselves within the window
  std::map<std::string, std::vector<Instant>> out_of_service;
  std::map<std::string, IncidentId> breakers;  // pools where nothing is done by itself
  // By which jobs leave what is drained; gpu -1: the node
  std::map<GpuKey, Instant> drain_deadlines;
  Access access;  // roles and tokens
  std::map<BudgetKey, Budget> budgets;
  std::map<BudgetUser, BudgetLevel> budget_levels;  // of whoever has reached one this month
  Metering metering;                                // where the time of GPUs went
  std::map<std::string, JobId> jobs_by_request;     // "<uid>/<request id>"; an array by its own id

  std::set<JobId> queued;  // kQueued
  std::map<EquivalenceClass, std::set<QueueKey>>
      equivalence_classes;                      // the same by line; none is empty
  std::set<std::pair<Instant, JobId>> retries;  // kRetryWait, by eligible_at
  // Who is waited for, and the kBlocked job that waits
  std::set<std::pair<JobId, JobId>> dependents;
  // kBlocked, and not for anything that is still open
  std::set<JobId> decided;
  std::set<std::pair<Instant, JobId>> limits;  // time limits of jobs that run
  // Of those whose users were not told yet, by LimitNoticeAt
  std::set<std::pair<Instant, JobId>> limit_notices;
  // Jobs that have a place and a time limit, those told to stop too
  int64_t limited = 0;
  std::set<std::pair<Instant, NodeId>> losses;  // lost nodes, by when their leases have ended
  std::set<std::pair<Instant, std::string>> reservation_ends;
  // Jobs that are in the way of maintenance, by when they are told to leave
  std::set<std::pair<Instant, JobId>> leaving;
  std::set<std::pair<Instant, TokenId>> token_ends;
  std::set<std::pair<Instant, JobId>> finished;   // terminal, by end
  std::set<std::pair<JobId, JobId>> preemptions;  // who waits, and who is being interrupted for it
  std::set<JobId> nominated;                      // queued jobs that have claimed nodes
  std::set<JobId> movable;                        // IsMovable
  std::set<JobId> moving;                         // jobs that have a destination
  std::set<JobId> recovering;                     // IsRecovering
  std::set<std::pair<Instant, JobId>> moved;      // jobs that were ever moved, by the last time
  // GPUs with something to be done that nobody has begun
  std::set<GpuKey> remedies;
  // Open ones that end by themselves, by when
  std::set<std::pair<Instant, IncidentId>> incident_ends;
  std::set<std::pair<Instant, IncidentId>> closed_incidents;
  std::map<PoolClass, std::set<JobId>> evictable;  // IsEvictable; none is empty
  // Thousandths of GPUs held now, by job; none is 0 or empty
  std::map<PoolClass, std::map<JobId, int64_t>> shares_by_class;
  std::map<std::string, int64_t> capacity;  // GPUs installed, by pool; none is 0
  // The same by size; none is 0 or empty
  std::map<std::string, std::map<GpuSize, int64_t>> gpu_sizes;

  // Which nodes changed last: each has the number of its last change.  Planners follow it; it is
  // not part of the value and begins anew with each process.
  uint64_t node_changes = 0;
  std::set<std::pair<uint64_t, NodeId>> nodes_by_change;

  // Whether there are queues below it; then no jobs stand in it.
  bool HasChildren(const std::string& queue) const;
  const Node* FindNode(NodeId id) const;
  const Job* FindJob(JobId id) const;
  const Lease* FindLease(LeaseId id) const;
};

// The queue that a job of this spec would stand in: the one that it names, else that of its
// project, else the default.  There may be none of that name.
const std::string& QueueFor(const State& state, const JobSpec& spec);

// Enters a queued job into the indexes of the queue, or takes it out.
void Enqueue(State& state, const Job& job);
void Dequeue(State& state, const Job& job);

// Enters a job into the index of those that may give way, or takes it out.
void IndexEvictable(State& state, const Job& job, bool yields);

// The request index's key: ids of one user never meet another's.
std::string RequestKey(const User& user, const std::string& request_id);

// The first instant at which a Tick would do something; ns == 0: never.
Instant NextDeadline(const State& state);

}  // namespace gp
