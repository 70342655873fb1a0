#include <algorithm>

#include "base/assert.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/transition_rules.h"

namespace gp {
namespace {

class After : TransitionRules {
 public:
  explicit After(const State& state) : TransitionRules(state) {}

  void operator()(const ControllerStarted& event) const {
    GP_ASSERT(state_.epoch > 0, "each start of a controller has an epoch");
    GP_ASSERT(state_.lineage == event.lineage, "the state is of the journal's lineage");
  }
  void operator()(const PolicyChanged& event) const {
    GP_ASSERT(state_.policy.lease_time == event.policy.lease_time, "the new policy holds");
  }
  void operator()(const WallClockStepped& event) const {
    GP_ASSERT(state_.time.wall == event.wall, "the wall clock is followed");
    GP_ASSERT(state_.reservation_ends.size() == state_.reservations.size(),
              "each reservation has one end");
  }

  void operator()(const NodeJoined& event) const {
    const Node& node = NodeAt(event.node);
    GP_ASSERT(node.condition == NodeCondition::kUp, "a node that joined is in contact");
    GP_ASSERT(node.gpus.size() == event.facts->gpus.size(), "each GPU of a node has its state");
  }
  void operator()(const NodeLost& event) const {
    const Node& node = NodeAt(event.node);
    GP_ASSERT(node.condition == NodeCondition::kLost && !node.leases_expired,
              "leases of a lost node expire later");
  }
  void operator()(const NodeLeasesExpired& event) const {
    GP_ASSERT(NodeAt(event.node).leases_expired, "leases expire once");
  }
  void operator()(const NodeReturned& event) const {
    GP_ASSERT(NodeAt(event.node).condition == NodeCondition::kUp,
              "a node that returned is in contact");
  }
  void operator()(const NodeDrainChanged& event) const {
    const Node& node = NodeAt(event.node);
    GP_ASSERT(node.draining == event.draining, "a node drains as the event says");
    GP_ASSERT(node.draining || node.failures.empty(), "a node in service starts without failures");
  }
  void operator()(const NodeLabelsChanged& event) const {
    GP_ASSERT(NodeAt(event.node).labels == event.labels, "a node has the labels of the event");
  }
  void operator()(const NodePoolChanged& event) const {
    GP_ASSERT(NodeAt(event.node).pool == event.pool, "a node is in the pool of the event");
  }
  void operator()(const DrainDeadlineSet& event) const {
    GP_ASSERT(state_.drain_deadlines.contains({event.node, event.gpu}) == (event.at.ns != 0),
              "a drain has a deadline, or none");
  }

  void operator()(const GpuConditionChanged& event) const {
    GP_ASSERT(GpuAt(event.node, event.gpu).condition == event.to,
              "a GPU is in the condition of the event");
  }
  void operator()(const GpuDrainChanged& event) const {
    GP_ASSERT(GpuAt(event.node, event.gpu).draining == event.draining,
              "a GPU drains as the event says");
  }
  void operator()(const GpuHealthChanged& event) const {
    const auto trouble = state_.troubles.find({event.node, event.gpu});
    const size_t findings = trouble == state_.troubles.end() ? 0 : trouble->second.findings.size();
    GP_ASSERT(findings == event.findings.size(), "a GPU has the findings of its newest readings");
  }
  void operator()(const GpuMoved& event) const { CheckRetired(event.from); }
  void operator()(const GpuRetired& event) const { CheckRetired(event.gpu); }

  void operator()(const FaultSeen& event) const {
    GP_ASSERT(NodeAt(event.node).signals_seen >= event.number, "a signal is seen once");
  }
  void operator()(const JobXidNoted& event) const {
    const std::vector<XidNote>& notes = JobAt(event.job).xids;
    GP_ASSERT(!notes.empty() && notes.size() <= kXidNotesMax, "a job keeps its newest XIDs");
  }
  void operator()(const IncidentOpened& event) const {
    GP_ASSERT(state_.last_incident == event.incident.id.value, "an incident's id is the newest");
    GP_ASSERT(state_.incidents.contains(event.incident.id), "an incident that opened is known");
  }
  void operator()(const IncidentNoted& event) const {
    const auto found = state_.incidents.find(event.incident);
    GP_ASSERT(found == state_.incidents.end() || !event.needs_person || found->second.needs_person,
              "an incident that needs an operator goes on to need one");
  }
  void operator()(const IncidentChanged& event) const {
    const auto found = state_.incidents.find(event.incident);
    GP_ASSERT(found == state_.incidents.end() || found->second.state == event.state,
              "an incident is in the state of the event");
  }
  void operator()(const GpuRemedyChanged& event) const {
    const auto trouble = state_.troubles.find({event.node, event.gpu});
    const GpuRemedy remedy =
        trouble == state_.troubles.end() ? GpuRemedy::kNone : trouble->second.remedy;
    GP_ASSERT(remedy == event.remedy, "a GPU has the remedy of the event");
  }
  void operator()(const GpuTaskOrdered& event) const {
    GP_ASSERT(state_.last_task == event.number, "a task's number is the newest");
  }
  void operator()(const GpuTaskEnded& event) const {
    const auto trouble = state_.troubles.find({event.node, event.gpu});
    GP_ASSERT(trouble == state_.troubles.end() || trouble->second.task == GpuTask::kNone,
              "a task that ended is no longer ordered");
  }
  void operator()(const BreakerOpened& event) const {
    GP_ASSERT(state_.breakers.at(event.pool) == event.incident,
              "a pool's breaker names its incident");
  }

  void operator()(const JobSubmitted& event) const {
    GP_ASSERT(state_.last_job >= event.job.value, "a job's id is never given twice");
    GP_ASSERT(state_.FindJob(JobId{state_.last_job}) != nullptr, "the newest job is known");
  }
  void operator()(const JobUnblocked& event) const { CheckState(event.job, JobState::kQueued); }
  void operator()(const JobHeld& event) const { CheckState(event.job, JobState::kHeld); }
  void operator()(const JobReleased& event) const { CheckState(event.job, JobState::kQueued); }
  void operator()(const JobRetried& event) const { CheckState(event.job, JobState::kQueued); }
  void operator()(const GangPlaced& event) const {
    CheckState(event.job, JobState::kStarting);
    GP_ASSERT(JobAt(event.job).leases.size() == event.leases.size(),
              "a gang holds all of its leases or none");
  }
  void operator()(const JobStarted& event) const { CheckState(event.job, JobState::kRunning); }
  void operator()(const JobStopOrdered& event) const {
    GP_ASSERT(JobAt(event.job).stop != StopCause::kNone, "a job is stopped for a cause");
  }
  void operator()(const JobPreemptionOrdered& event) const { CheckVictim(event.job, event.by); }
  void operator()(const JobMoveOrdered& event) const {
    CheckVictim(event.job, event.by);
    GP_ASSERT(JobAt(event.job).moved_for == event.by, "a job moves for its preemptor");
  }
  void operator()(const JobRequeued& event) const {
    const Job& job = JobAt(event.job);
    GP_ASSERT(job.state == JobState::kQueued || job.state == JobState::kRetryWait,
              "a requeued job waits");
    GP_ASSERT(job.stop == StopCause::kNone && job.preempted_for == JobId{},
              "a requeued job is no victim any more");
  }
  void operator()(const JobEnded& event) const {
    const Job& job = JobAt(event.job);
    GP_ASSERT(job.state == event.state, "a job ends in the state of the event");
    GP_ASSERT(state_.finished.contains({job.ended_at, job.id}), "a finished job is retained");
  }
  void operator()(const JobForgotten& event) const {
    GP_ASSERT(state_.FindJob(event.job) == nullptr, "a forgotten job is unknown");
  }
  void operator()(const CheckpointSaved& event) const {
    const auto rank = static_cast<size_t>(event.checkpoint.rank);
    GP_ASSERT(
        JobAt(event.job).attempts.back().ranks[rank].checkpoints_seen == event.checkpoint.number,
        "a checkpoint is counted once");
  }
  void operator()(const JobPriorityChanged& event) const {
    GP_ASSERT(JobAt(event.job).spec->priority == event.priority,
              "a job has the priority of the event");
  }
  void operator()(const JobTimeLimitChanged& event) const {
    GP_ASSERT(JobAt(event.job).spec->time_limit == event.time_limit,
              "a job has the time limit of the event");
  }
  void operator()(const JobLimitNear& event) const {
    GP_ASSERT(JobAt(event.job).is_limit_notified, "a time limit is announced once");
  }
  void operator()(const JobIdle& event) const {
    GP_ASSERT(JobAt(event.job).is_idle_notified, "idle GPUs are announced once");
  }

  void operator()(const LeaseStarted& event) const {
    const Lease* lease = state_.FindLease(event.lease);
    GP_ASSERT(lease != nullptr && lease->phase == LeasePhase::kStarted,
              "a lease that started is live");
    GP_ASSERT(JobAt(lease->job).attempts.back().started_at <= event.started_at,
              "an attempt starts with its first rank");
  }
  void operator()(const LeaseEnded& event) const {
    GP_ASSERT(state_.FindLease(event.lease) == nullptr, "a lease ends once");
    GP_ASSERT(std::ranges::count(JobAt(event.job).leases, event.lease) == 0,
              "a job holds only live leases");
  }
  void operator()(const LeaseUseNoted& event) const {
    GP_ASSERT(state_.FindLease(event.lease)->idle_ms == event.idle_ms,
              "a lease has the idle time of the event");
  }

  void operator()(const QueueChanged& event) const {
    GP_ASSERT(state_.queues.contains(event.queue.name), "a queue that changed is known");
  }
  void operator()(const QueueDeleted& event) const {
    GP_ASSERT(!state_.queues.contains(event.name), "a deleted queue is unknown");
  }
  void operator()(const NodesReserved& event) const {
    GP_ASSERT(state_.reservations.contains(event.reservation.name), "a reservation is known");
    GP_ASSERT(state_.reservation_ends.contains({event.reservation.ends_at, event.reservation.name}),
              "each reservation has its end");
  }
  void operator()(const ReservationEnded& event) const {
    GP_ASSERT(!state_.reservations.contains(event.name), "a reservation ends once");
  }
  void operator()(const BudgetChanged& event) const {
    GP_ASSERT(state_.budgets.contains(event.key), "a budget that changed is known");
  }
  void operator()(const BudgetDeleted& event) const {
    GP_ASSERT(!state_.budgets.contains(event.key), "a deleted budget is unknown");
  }
  void operator()(const BudgetLevelChanged& event) const {
    const bool has_level = event.level.warned != 0 || event.level.is_used_up;
    GP_ASSERT(state_.budget_levels.contains(event.who) == has_level,
              "a budget has a level once one was reached");
  }

  void operator()(const RoleGranted& event) const {
    GP_ASSERT(state_.access.roles.contains({event.subject, event.queue}) == event.role.has_value(),
              "a role is granted or taken away");
  }
  void operator()(const TokenIssued& event) const {
    GP_ASSERT(state_.access.tokens.contains(event.token.id), "a token that was issued is known");
  }
  void operator()(const TokenEnded& event) const {
    GP_ASSERT(!state_.access.tokens.contains(event.token), "a token ends once");
  }
  void operator()(const NodeCertified& event) const {
    const size_t certificates = state_.access.nodes.at(event.name).size();
    GP_ASSERT(certificates == 1 || certificates == 2, "a node has its newest two certificates");
  }
  void operator()(const NodeRevoked& event) const {
    GP_ASSERT(!state_.access.nodes.contains(event.name), "a revoked node has no certificate");
  }
  // They change nothing: the audit alone reads them.
  void operator()(const AccessRefused&) const {}
  void operator()(const ChangeNoted&) const {}

 private:
  void CheckVictim(JobId victim, JobId by) const {
    GP_ASSERT(IsBeingPreempted(JobAt(victim)), "a victim is being preempted");
    GP_ASSERT(state_.preemptions.contains({by, victim}), "a preemptor waits for its victims");
  }
  void CheckRetired(const GpuKey& gpu) const {
    const NodeFacts& facts = *NodeAt(gpu.node).facts;
    GP_ASSERT(facts.gpus[static_cast<size_t>(gpu.gpu)].presence == GpuPresence::kRetired,
              "a position that its GPU has left is retired");
  }
};

}  // namespace

void AssertAfter(const State& state, const Event& event) { std::visit(After(state), event); }

}  // namespace gp
