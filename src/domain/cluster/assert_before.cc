#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/transition_rules.h"

namespace gp {
namespace {

class Before : TransitionRules {
 public:
  explicit Before(const State& state) : TransitionRules(state) {}

  void operator()(const ControllerStarted& event) const { CheckPolicy(event.policy); }
  void operator()(const PolicyChanged& event) const { CheckPolicy(event.policy); }
  void operator()(const WallClockStepped&) const {
    GP_ASSERT(state_.reservation_ends.size() == state_.reservations.size(),
              "each reservation has one end");
  }

  void operator()(const NodeJoined& event) const {
    GP_ASSERT(event.facts != nullptr, "a node joins with its facts");
    GP_ASSERT(event.node.value <= state_.nodes.size(), "nodes are numbered without gaps");
    const bool is_new = event.node.value == state_.nodes.size();
    GP_ASSERT(is_new || NodeAt(event.node).facts->name == event.facts->name,
              "a node keeps its name");
  }
  void operator()(const NodeLost& event) const {
    GP_ASSERT(NodeAt(event.node).condition == NodeCondition::kUp, "only a node in contact is lost");
  }
  void operator()(const NodeLeasesExpired& event) const { CheckLost(event.node); }
  void operator()(const NodeReturned& event) const { CheckLost(event.node); }
  void operator()(const NodeDrainChanged& event) const { NodeAt(event.node); }
  void operator()(const NodeLabelsChanged& event) const { NodeAt(event.node); }
  void operator()(const NodePoolChanged& event) const {
    NodeAt(event.node);
    GP_ASSERT(!event.pool.empty(), "a pool has a name");
  }
  void operator()(const DrainDeadlineSet& event) const {
    if (event.gpu < 0) {
      NodeAt(event.node);
    } else {
      GpuAt(event.node, event.gpu);
    }
  }

  void operator()(const GpuConditionChanged& event) const {
    GP_ASSERT(CanBecome(GpuAt(event.node, event.gpu).condition, event.to),
              "a GPU moves along edges of its state machine");
  }
  void operator()(const GpuDrainChanged& event) const { GpuAt(event.node, event.gpu); }
  void operator()(const GpuHealthChanged& event) const { GpuAt(event.node, event.gpu); }
  void operator()(const GpuMoved& event) const {
    GP_ASSERT(event.from != event.to, "a GPU moves to another position");
    GP_ASSERT(GpuAt(event.from.node, event.from.gpu).leases.empty(),
              "an allocated GPU is never moved");
  }
  void operator()(const GpuRetired& event) const {
    GP_ASSERT(GpuAt(event.gpu.node, event.gpu.gpu).leases.empty(),
              "an allocated GPU is never retired");
  }

  void operator()(const FaultSeen& event) const {
    if (event.gpu >= 0) GpuAt(event.node, event.gpu);
  }
  void operator()(const JobXidNoted& event) const { JobAt(event.job); }
  void operator()(const IncidentOpened& event) const {
    GP_ASSERT(event.incident.id.value == state_.last_incident + 1,
              "incidents are numbered without gaps");
  }
  void operator()(const IncidentNoted& event) const {
    CheckIncident(event.incident);
    GP_ASSERT(event.reports >= 0 && event.lost_gpu_ms >= 0, "what is noted only adds up");
  }
  void operator()(const IncidentChanged& event) const { CheckIncident(event.incident); }
  void operator()(const GpuRemedyChanged& event) const {
    GpuAt(event.node, event.gpu);
    GP_ASSERT(event.incident.value <= state_.last_incident, "a remedy belongs to a known incident");
  }
  void operator()(const GpuTaskOrdered& event) const {
    GpuAt(event.node, event.gpu);
    GP_ASSERT(event.number > state_.last_task, "a task's number is never given twice");
  }
  void operator()(const GpuTaskEnded& event) const {
    GpuAt(event.node, event.gpu);
    GP_ASSERT(event.number <= state_.last_task, "only an ordered task ends");
  }
  void operator()(const BreakerOpened& event) const { CheckIncident(event.incident); }

  void operator()(const JobSubmitted& event) const {
    GP_ASSERT(event.spec != nullptr, "a job has a spec");
    GP_ASSERT(event.job.value == state_.last_job + 1, "jobs are numbered without gaps");
  }
  void operator()(const JobUnblocked& event) const { CheckState(event.job, JobState::kBlocked); }
  void operator()(const JobHeld& event) const {
    GP_ASSERT(JobAt(event.job).leases.empty(), "a job with leases cannot be held");
  }
  void operator()(const JobReleased& event) const { CheckState(event.job, JobState::kHeld); }
  void operator()(const JobRetried& event) const { CheckState(event.job, JobState::kRetryWait); }
  void operator()(const GangPlaced& event) const {
    CheckState(event.job, JobState::kQueued);
    GP_ASSERT(!event.leases.empty(), "a placement has a lease for each rank");
  }
  void operator()(const JobStarted& event) const { CheckState(event.job, JobState::kStarting); }
  void operator()(const JobStopOrdered& event) const { CheckPlaced(event.job); }
  void operator()(const JobPreemptionOrdered& event) const {
    GP_ASSERT(IsEvictable(JobAt(event.job)), "only an evictable job is preempted");
    GP_ASSERT(JobAt(event.by).state == JobState::kQueued, "a preemptor is a queued job");
  }
  void operator()(const JobMoveOrdered& event) const {
    GP_ASSERT(!event.destination.empty(), "a job that moves has a destination");
    CheckPlaced(event.job);
  }
  void operator()(const JobRequeued& event) const {
    CheckPlaced(event.job);
    GP_ASSERT(JobAt(event.job).leases.empty(), "an attempt ends when its last lease has ended");
  }
  void operator()(const JobEnded& event) const {
    const Job& job = JobAt(event.job);
    GP_ASSERT(!IsTerminal(job.state) && IsTerminal(event.state), "a job ends once");
    GP_ASSERT(job.leases.empty(), "a job ends when its last lease has ended");
  }
  void operator()(const JobForgotten& event) const {
    GP_ASSERT(IsTerminal(JobAt(event.job).state), "only a finished job is forgotten");
  }
  void operator()(const CheckpointSaved& event) const {
    const Job& job = JobAt(event.job);
    GP_ASSERT(!job.attempts.empty(), "only an attempt saves checkpoints");
    const auto ranks = static_cast<int64_t>(job.attempts.back().ranks.size());
    GP_ASSERT(event.checkpoint.rank >= 0 && event.checkpoint.rank < ranks,
              "a checkpoint is of a rank of its attempt");
  }
  void operator()(const JobPriorityChanged& event) const {
    GP_ASSERT(!IsTerminal(JobAt(event.job).state), "a finished job keeps its priority");
    GP_ASSERT(event.priority >= kPriorityMin && event.priority <= kPriorityMax,
              "a priority is on the scale");
  }
  void operator()(const JobTimeLimitChanged& event) const {
    GP_ASSERT(!IsTerminal(JobAt(event.job).state), "a finished job keeps its time limit");
    GP_ASSERT(event.time_limit.ns >= 0, "a time limit is no negative time");
  }
  void operator()(const JobLimitNear& event) const { CheckPlaced(event.job); }
  void operator()(const JobIdle& event) const { CheckPlaced(event.job); }

  void operator()(const LeaseStarted& event) const {
    const Lease& lease = LeaseAt(event.lease);
    GP_ASSERT(std::ranges::count(JobAt(lease.job).leases, event.lease) == 1,
              "a lease is held by its job");
  }
  void operator()(const LeaseEnded& event) const {
    GP_ASSERT(LeaseAt(event.lease).job == event.job, "a lease ends for its own job");
    GP_ASSERT(std::ranges::count(JobAt(event.job).leases, event.lease) == 1,
              "a lease is held by its job");
  }
  void operator()(const LeaseUseNoted& event) const {
    LeaseAt(event.lease);
    GP_ASSERT(event.idle_ms >= 0, "idle time is no negative time");
  }

  void operator()(const QueueChanged& event) const {
    GP_ASSERT(!event.queue.name.empty(), "a queue has a name");
  }
  void operator()(const QueueDeleted& event) const {
    GP_ASSERT(state_.queues.contains(event.name), "only a known queue is deleted");
  }
  void operator()(const NodesReserved& event) const {
    GP_ASSERT(event.reservation.ends_at > event.reservation.starts_at,
              "a reservation ends after it starts");
  }
  void operator()(const ReservationEnded& event) const {
    GP_ASSERT(state_.reservations.contains(event.name), "only a known reservation ends");
  }
  void operator()(const BudgetChanged&) const {}
  void operator()(const BudgetDeleted& event) const {
    GP_ASSERT(state_.budgets.contains(event.key), "only a known budget is deleted");
  }
  void operator()(const BudgetLevelChanged& event) const {
    GP_ASSERT(event.level.warned >= 0, "a budget is warned of at a percentage");
  }

  void operator()(const RoleGranted& event) const {
    GP_ASSERT(!event.subject.empty(), "a role has a subject");
  }
  void operator()(const TokenIssued& event) const {
    GP_ASSERT(event.token.id.value > state_.last_token, "a token's id is never given twice");
  }
  void operator()(const TokenEnded& event) const {
    GP_ASSERT(state_.access.tokens.contains(event.token), "only a known token ends");
  }
  void operator()(const NodeCertified& event) const {
    GP_ASSERT(!event.name.empty(), "a certificate names its node");
  }
  void operator()(const NodeRevoked& event) const {
    GP_ASSERT(!event.name.empty(), "a revocation names its node");
  }
  void operator()(const AccessRefused& event) const {
    GP_ASSERT(event.times > 0, "what is noted has happened");
  }
  void operator()(const ChangeNoted& event) const {
    GP_ASSERT(!event.operation.empty(), "a note names its operation");
  }

 private:
  static void CheckPolicy(const Policy& policy) {
    GP_ASSERT(policy.lease_time.ns > 0, "leases last for some time");
    GP_ASSERT(policy.lease_end_time.ns > 0, "an expired lease has time to end");
  }
  const Lease& LeaseAt(LeaseId id) const {
    const Lease* lease = state_.FindLease(id);
    GP_ASSERT(lease != nullptr, "an event names a live lease");
    return *lease;
  }
  void CheckLost(NodeId node) const {
    GP_ASSERT(NodeAt(node).condition == NodeCondition::kLost,
              "only a lost node returns or has expired leases");
  }
  void CheckPlaced(JobId job) const {
    GP_ASSERT(HoldsLeases(JobAt(job).state), "only a placed job is stopped, notified or requeued");
  }
  void CheckIncident(IncidentId incident) const {
    GP_ASSERT(incident.value > 0 && incident.value <= state_.last_incident,
              "an event names an incident that was opened");
  }
};

}  // namespace

void AssertBefore(const State& state, const Event& event) { std::visit(Before(state), event); }

}  // namespace gp
