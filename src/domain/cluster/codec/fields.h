#pragma once

// The fields of every struct that a journal or a snapshot holds, in their order on disk.  Add new
// fields at the end as Since<V>(v.field), where V is a new kFormatVersion in codec.cc: journals of
// formats before V stay readable.

#include "domain/accounting/account.h"
#include "domain/cluster/codec/versioned_field.h"
#include "domain/cluster/command.h"
#include "domain/cluster/event.h"
#include "domain/faults/incident.h"
#include "domain/faults/trouble.h"
#include "domain/metering/metering.h"
#include "domain/model/access.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/job.h"
#include "domain/model/nodes/node.h"
#include "domain/model/queue.h"
#include "domain/model/reservation.h"
#include "domain/model/time_line.h"

namespace gp {

#define GP_FIELDS(Type, ...)         \
  template <typename A>              \
  void Fields(A& archive, Type& v) { \
    archive(__VA_ARGS__);            \
  }
#define GP_NO_FIELDS(Type) \
  template <typename A>    \
  void Fields(A&, Type&) {}

// domain/model
GP_FIELDS(GpuRequest, v.count, v.models, v.share_thousandths, v.memory_mib, v.memory_mib_min,
          v.isolation)
GP_FIELDS(TopologyRequest, v.require, v.prefer, v.allow_cross_numa, v.network_levels)
GP_FIELDS(RetryPolicy, v.retries_max, v.backoff_min, v.backoff_max, v.on_failure)
GP_FIELDS(Dependency, v.job, v.kind)
GP_FIELDS(Alternative, v.nodes, v.nodes_min, v.gpus, v.cpus, v.memory_bytes)
GP_FIELDS(ArrayRequest, v.count, v.max_parallel)
GP_FIELDS(CheckpointRequest, v.directory, v.signal, v.every, v.keep, v.best)
GP_FIELDS(Checkpoint, v.attempt, v.rank, v.number, v.step, v.path, v.bytes, v.took, v.is_complete,
          v.fault, v.at, v.is_scored, v.score)
GP_FIELDS(SurplusCheckpoint, v.rank, v.path)
GP_FIELDS(LogRule, v.pattern, v.action)
GP_FIELDS(LogClues, v.gpu_memory, v.communication, v.rules, v.last_error, Since<17>(v.mps_failed))
GP_FIELDS(NotifyRequest, v.to, v.on)
GP_FIELDS(JobSpec, v.name, v.project, v.policy.queue, v.resources.nodes, v.resources.gpus,
          v.resources.cpus, v.resources.memory_bytes, v.resources.shm_bytes, v.placement.topology,
          v.policy.priority, v.policy.time_limit, v.policy.grace, v.recovery.on_lease_loss,
          v.recovery.retry, v.program.environment, v.labels, v.program.working_directory,
          v.program.command, v.program.interactive, v.recovery.checkpoint, v.policy.preemptible,
          v.placement.node_labels, v.placement.reservation, v.policy.after, v.policy.movable,
          v.resources.nodes_min, v.resources.any_of, v.policy.array, v.recovery.hang_after,
          v.recovery.on_log, v.notify, v.program.secrets, v.program.shared_secrets_only,
          Since<17>(v.policy.wait_for_nodes), Since<17>(v.file))
GP_FIELDS(User, v.name, v.uid, v.gid)
GP_FIELDS(LeaseOutcome, v.end, v.exit_code, v.signal, v.message, v.clues)
GP_FIELDS(GpuUse, v.gpu, v.seen_ms, v.busy_ms, v.memory_mib)
GP_FIELDS(RankUse, v.since, v.gpus, v.cpu_ms, v.cpu_seen_ms, v.memory_mib)
GP_FIELDS(RankRecord, v.lease, v.node, v.gpus, v.outcome, v.checkpoints_seen, v.use, v.cores,
          v.memory_mib)
GP_FIELDS(AttemptRecord, v.number, v.placed_at, v.started_at, v.ended_at, v.placement, v.ranks,
          v.end)
GP_FIELDS(XidNote, v.attempt, v.xid, v.node, v.gpu, v.forgiven, v.at)
GP_FIELDS(Job, v.id, v.spec, v.user, v.request_id, v.state, v.submitted_at, v.queued_at,
          v.eligible_at, v.ended_at, v.attempt, v.retries_used, v.faults, v.stop, v.leases,
          v.attempts, v.exit_code, v.note, v.reason, v.preemptions, v.attained_gpu_ms,
          v.preempted_for, v.nominated_nodes, v.queue, v.pool, v.moves, v.moved_at, v.destination,
          v.moved_for, v.submitted_spec, v.variant, v.array, v.xids, v.recovers_until,
          v.checkpoints, v.faults_in_row, v.surplus, v.is_limit_notified, v.is_idle_notified)
GP_FIELDS(Array, v.count, v.known, v.started, v.unstarted, v.ended, v.completed, v.failed)
GP_FIELDS(GpuGrant, v.gpu, v.share, v.memory_mib, v.mig_profile, v.mig_start)
GP_FIELDS(NumaGrant, v.numa, v.cpus, v.memory_mib)
GP_FIELDS(RankPlacement, v.node, v.gpus, v.numa)
GP_FIELDS(RankTarget, v.node, v.gpus)
GP_FIELDS(Lease, v.id, v.job, v.attempt, v.rank, v.node, v.mode, v.gpus, v.numa, v.stop_on_loss,
          v.phase, v.stop, v.metered_until, v.use, v.reported, v.idle_ms)
GP_FIELDS(MigProfile, v.id, v.name, v.compute_slices, v.memory_slices, v.memory_mib, v.starts)
GP_FIELDS(MigTable, v.compute_slices, v.memory_slices, v.profiles)
GP_FIELDS(GpuFacts, v.uuid, v.model, v.pci_bus_id, v.minor, v.numa, v.memory_mib, v.mps, v.mig,
          Since<17>(v.presence))
GP_FIELDS(NumaFacts, v.os_id, v.package, v.cpus, v.memory_mib)
GP_FIELDS(NodeFacts, v.name, v.simulated, v.driver_version, v.numa, v.gpus, v.links,
          Since<17>(v.machine))
// domain/faults
GP_FIELDS(XidRule, v.tenants, v.remedy, v.counts, v.if_repeated, v.by_text)
GP_FIELDS(FaultPolicy, v.xids, v.correlate, v.incident_window, v.error_window, v.suspect_users,
          v.suspect_errors, v.suspect_factor, v.suspect_errors_per_user, v.resets_per_day,
          v.breaker_percent, v.breaker_gpus_min, v.breaker_window, v.recovery_hold,
          v.lemon_failures, v.lemon_factor, v.lemon_window, Since<17>(v.breaker_nodes_min),
          Since<17>(v.health))
GP_FIELDS(FaultSignal, v.number, v.gpu, v.kind, v.xid, v.lease, v.advice, v.reported, v.is_fatal,
          v.at, v.text, Since<17>(v.is_of_peer))
GP_FIELDS(HealthFinding, v.code, v.value, v.limit)
GP_FIELDS(GpuKey, v.node, v.gpu)
GP_FIELDS(XidMark, v.xid, v.at)
GP_FIELDS(UserError, v.xid, v.user, v.spec, v.at)
GP_FIELDS(GpuTrouble, v.remedy, v.is_asked, v.incident, v.task, v.task_number, v.resets, v.xids,
          v.errors, v.hot_at, Since<17>(v.findings), Since<17>(v.out_of_service_at))
GP_FIELDS(IncidentStep, v.at, v.what)
GP_FIELDS(Incident, v.id, v.state, v.cause, v.pool, v.node, v.gpu, v.uuid, v.remedy, v.needs_person,
          v.opened_at, v.last_at, v.closed_at, v.reports, v.jobs, v.jobs_hit, v.lost_gpu_ms,
          v.person, v.note, v.steps, Since<17>(v.is_lasting))

GP_FIELDS(Gpu, v.condition, v.draining, v.reason, v.changed_at, v.mode, v.owner, v.share_granted,
          v.memory_granted_mib, v.leases, v.mig_slices)
GP_FIELDS(NumaLedger, v.cpus_granted, v.memory_granted_mib)
GP_FIELDS(Node, v.id, v.facts, v.incarnation, v.condition, v.lost_at, v.leases_expired, v.draining,
          v.reason, v.gpus, v.numa, v.leases, v.pool, v.labels, v.signals_seen, v.failures,
          Since<17>(v.drained_at))
// domain/metering
GP_FIELDS(Price, v.micros)
GP_FIELDS(PriceRule, v.pool, v.model, v.node, v.label_name, v.label_value, v.per_gpu_hour, v.watts)
GP_FIELDS(PriceList, v.currency, v.micros_per_kwh, v.rules)
GP_FIELDS(GpuTime, v.units)
GP_FIELDS(Money, v.exact)
GP_FIELDS(BudgetKey, v.queue, v.user, v.pool)
GP_FIELDS(Budget, v.time, v.money_micros, v.warn_at, v.over)
GP_FIELDS(BudgetUser, v.key, v.user)
GP_FIELDS(BudgetLevel, v.month, v.warned, v.is_used_up)
GP_FIELDS(UsageKey, v.day, v.kind, v.pool, v.model, v.price, v.queue, v.user)
GP_FIELDS(UsageLedger, v.rows, v.today)
GP_FIELDS(UsageRate, v.share, v.since)
GP_FIELDS(UsageMeter, v.ledger, v.rates, Since<17>(v.wall))
GP_FIELDS(JobUse, v.time, v.money, v.unsaved, v.repeated, v.repeated_money)
GP_FIELDS(Metering, v.now, v.used, v.installed, v.jobs, v.forgotten)

GP_FIELDS(PlacementWeights, v.numa, v.nvlink, v.fragmentation, v.best_fit, v.spread, v.model_fit)
GP_FIELDS(UnderUseRule, v.below_percent, v.warn_after, v.stop_after)
GP_FIELDS(UnderUsePolicy, v.high, v.medium, v.low, v.interactive)
GP_FIELDS(Policy, v.lease_time, v.lease_end_time, v.faults_max, v.reserve_after, v.jobs_kept,
          v.min_run, v.reclaim_grace, v.share_half_life, v.share_horizon, v.usage_period,
          v.age_after, v.class_floor, v.move_cost, v.move_interval, v.moves_per_hour, v.faults,
          v.node_mtbf, v.placement, v.prices, v.under_use, v.jobs_kept_for)
GP_FIELDS(Quota, v.gpus, v.jobs, v.gpu_hours)
GP_FIELDS(Queue, v.name, v.pool, v.weight, v.guaranteed, v.reclaimable, v.limit, v.user_limit,
          Since<17>(v.default_time), Since<17>(v.max_time))

GP_FIELDS(RoleKey, v.subject, v.queue)
GP_FIELDS(AccessToken, v.id, v.label, v.user, v.most, v.queue, v.hash, v.issued_at, v.expires_at,
          v.issued_by)
GP_FIELDS(NodeCertificate, v.fingerprint, v.expires_at)
GP_FIELDS(Access, v.roles, v.tokens, v.nodes)
GP_FIELDS(Reservation, v.name, v.pool, v.nodes, v.starts_at, v.ends_at, v.users, v.queues, v.note,
          v.maintenance, Since<17>(v.is_moved))

// domain/accounting
GP_FIELDS(AccountId, v.queue, v.user, v.array)
GP_FIELDS(Holding, v.share, v.firm_share, v.jobs)
GP_FIELDS(Account, v.held, v.as_of, v.faded_use, v.period, v.period_use)

// commands
GP_FIELDS(TimeLine, v.boot, v.before_boot, v.wall)
GP_FIELDS(StartController, v.policy, v.lineage, v.cut, Since<17>(v.time))
GP_FIELDS(StepWallClock, v.wall)
GP_FIELDS(LeaseObservation, v.lease, v.running, v.ended, v.started_at, v.ended_at, v.outcome,
          v.checkpoints, v.is_hung, v.use, Since<17>(v.ran))
GP_FIELDS(GpuObservation, v.gpu, v.healthy, v.lost, v.detail, Since<17>(v.findings))
GP_FIELDS(JoinNode, v.facts, v.incarnation, v.fresh, v.leases, v.lineage)
GP_FIELDS(ReportNode, v.node, v.incarnation, v.leases, v.gpus)
GP_FIELDS(GpuTaskResult, v.gpu, v.number, v.ok, v.detail)
GP_FIELDS(ReportGpus, v.node, v.incarnation, v.signals, v.results)
GP_FIELDS(ChangeIncident, v.incident, v.to, v.note)
GP_FIELDS(ExpireHeartbeat, v.node)
GP_FIELDS(DeclareNodeLost, v.node, v.reason)
GP_FIELDS(ChangeService, v.node, v.gpu, v.action, v.force, v.reason, v.deadline)
GP_FIELDS(SubmitJob, v.spec, v.user)
GP_FIELDS(StopJob, v.job, v.force)
GP_FIELDS(HoldJob, v.job)
GP_FIELDS(ReleaseJob, v.job)
GP_FIELDS(PlaceGang, v.pass, v.job, v.ranks, v.note, v.variant)
GP_FIELDS(PreemptJob, v.pass, v.job, v.by, v.nodes)
GP_FIELDS(SetQueue::QuotaChange, v.gpus, v.jobs, v.gpu_hours)
GP_FIELDS(SetQueue, v.name, v.pool, v.weight, v.guaranteed, v.reclaimable, v.limit, v.user_limit,
          Since<17>(v.default_time), Since<17>(v.max_time))
GP_FIELDS(DeleteQueue, v.name)
GP_FIELDS(ChangeNode, v.node, v.pool, v.labels, v.labels_removed)
GP_FIELDS(SetPriority, v.job, v.priority, v.may_raise)
GP_FIELDS(ReserveNodes, v.reservation, v.count)
GP_FIELDS(EndReservation, v.name)
GP_FIELDS(MoveJobs::Move, v.job, v.destination)
GP_FIELDS(MoveJobs, v.by, v.nodes, v.moves)
GP_NO_FIELDS(Tick)
GP_FIELDS(GrantRole, v.subject, v.queue, v.role)
GP_FIELDS(CertifyNode, v.name, v.certificate, v.shown)
GP_FIELDS(RevokeNode, v.name)
GP_FIELDS(IssueToken, v.token)
GP_FIELDS(RevokeToken, v.token)
GP_FIELDS(NoteRefusal, v.operation, v.why, v.times)
GP_FIELDS(SetBudget, v.key, v.gpu_hours, v.money_micros, v.warn_at, v.over)
GP_FIELDS(DeleteBudget, v.key)
GP_FIELDS(ReviewBudget, v.key)
GP_FIELDS(SetPolicy, v.policy, v.changes)
GP_FIELDS(ChangeTimeLimit, v.job, v.time_limit, v.longer_by, v.force)
GP_FIELDS(NoteChange, v.operation, v.target, v.details)
GP_FIELDS(Origin, v.principal, v.from)
GP_FIELDS(Envelope, v.at, v.origin, v.request_id, v.command)

// events
GP_FIELDS(ControllerStarted, v.policy, v.lineage, v.quiet_until, Since<17>(v.time))
GP_FIELDS(WallClockStepped, v.wall)
GP_FIELDS(NodeJoined, v.node, v.facts, v.incarnation, Since<17>(v.keeps_positions))
GP_FIELDS(GpuMoved, v.from, v.to)
GP_FIELDS(GpuRetired, v.gpu)
GP_FIELDS(NodeLost, v.node)
GP_FIELDS(NodeLeasesExpired, v.node)
GP_FIELDS(NodeReturned, v.node)
GP_FIELDS(NodeDrainChanged, v.node, v.draining, v.reason)
GP_FIELDS(GpuConditionChanged, v.node, v.gpu, v.to, v.reason)
GP_FIELDS(GpuDrainChanged, v.node, v.gpu, v.draining, v.reason)
GP_FIELDS(JobSubmitted, v.job, v.spec, v.user, v.request_id, v.queue, v.pool, v.note)
GP_FIELDS(JobHeld, v.job)
GP_FIELDS(JobReleased, v.job)
GP_FIELDS(GangPlaced, v.pass, v.job, v.leases, v.note, v.variant)
GP_FIELDS(LeaseStarted, v.lease, v.started_at)
GP_FIELDS(LeaseEnded, v.lease, v.job, v.outcome)
GP_FIELDS(JobStarted, v.job)
GP_FIELDS(JobStopOrdered, v.job, v.cause, v.order, v.reason)
GP_FIELDS(JobRequeued, v.job, v.charge, v.eligible_at, v.reason, v.end)
GP_FIELDS(CheckpointSaved, v.job, v.checkpoint)
GP_FIELDS(JobRetried, v.job)
GP_FIELDS(JobEnded, v.job, v.state, v.exit_code, v.reason, v.end)
GP_FIELDS(JobForgotten, v.job)
GP_FIELDS(JobPreemptionOrdered, v.pass, v.job, v.by, v.nodes)
GP_FIELDS(JobMoveOrdered, v.job, v.by, v.nodes, v.destination)
GP_FIELDS(QueueChanged, v.queue)
GP_FIELDS(QueueDeleted, v.name)
GP_FIELDS(NodePoolChanged, v.node, v.pool)
GP_FIELDS(NodeLabelsChanged, v.node, v.labels)
GP_FIELDS(JobPriorityChanged, v.job, v.priority)
GP_FIELDS(NodesReserved, v.reservation)
GP_FIELDS(ReservationEnded, v.name)
GP_FIELDS(JobUnblocked, v.job)
GP_FIELDS(FaultSeen, v.node, v.gpu, v.number, v.xid, v.error, v.is_hot)
GP_FIELDS(JobXidNoted, v.job, v.note)
GP_FIELDS(IncidentOpened, v.incident)
GP_FIELDS(IncidentNoted, v.incident, v.what, v.reports, v.remedy, v.needs_person, v.jobs,
          v.lost_gpu_ms, Since<17>(v.is_lasting))
GP_FIELDS(IncidentChanged, v.incident, v.state, v.person, v.note)
GP_FIELDS(GpuRemedyChanged, v.node, v.gpu, v.remedy, v.incident, v.takes_out_of_service, v.is_asked)
GP_FIELDS(GpuTaskOrdered, v.node, v.gpu, v.task, v.number, v.by_itself)
GP_FIELDS(GpuTaskEnded, v.node, v.gpu, v.number, v.is_sound)
GP_FIELDS(BreakerOpened, v.pool, v.incident)
GP_FIELDS(DrainDeadlineSet, v.node, v.gpu, v.at)
GP_FIELDS(RoleGranted, v.subject, v.queue, v.role)
GP_FIELDS(TokenIssued, v.token)
GP_FIELDS(TokenEnded, v.token)
GP_FIELDS(NodeCertified, v.name, v.certificate)
GP_FIELDS(NodeRevoked, v.name)
GP_FIELDS(AccessRefused, v.operation, v.why, v.times)
GP_FIELDS(BudgetChanged, v.key, v.budget)
GP_FIELDS(BudgetDeleted, v.key)
GP_FIELDS(BudgetLevelChanged, v.who, v.level)
GP_FIELDS(PolicyChanged, v.policy)
GP_FIELDS(JobTimeLimitChanged, v.job, v.time_limit)
GP_FIELDS(JobLimitNear, v.job)
GP_FIELDS(LeaseUseNoted, v.lease, v.reported, v.idle_ms)
GP_FIELDS(JobIdle, v.job, v.reason)
GP_FIELDS(ChangeNoted, v.operation, v.target)
GP_FIELDS(GpuHealthChanged, v.node, v.gpu, v.findings)

#undef GP_FIELDS
#undef GP_NO_FIELDS

}  // namespace gp
