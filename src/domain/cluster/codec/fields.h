#pragma once

// The fields of commands and events, in their order on disk (base/fields.h).

#include "domain/cluster/command.h"
#include "domain/cluster/event.h"

namespace gp {

// commands
GP_FIELDS(StartController, v.policy, v.lineage, v.cut, Since<17>(v.time))
GP_FIELDS(StepWallClock, v.wall)
GP_FIELDS(JoinNode, v.facts, v.incarnation, v.fresh, v.leases, v.lineage)
GP_FIELDS(ReportNode, v.node, v.incarnation, v.leases, v.gpus)
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
GP_FIELDS(SetQueue, v.name, v.pool, v.weight, v.guaranteed, v.reclaimable, v.limit, v.user_limit,
          Since<17>(v.default_time), Since<17>(v.max_time))
GP_FIELDS(DeleteQueue, v.name)
GP_FIELDS(ChangeNode, v.node, v.pool, v.labels, v.labels_removed)
GP_FIELDS(SetPriority, v.job, v.priority, v.may_raise)
GP_FIELDS(ReserveNodes, v.reservation, v.count)
GP_FIELDS(EndReservation, v.name)
GP_FIELDS(MoveJobs, v.by, v.nodes, v.moves)
GP_FIELDS(Tick)
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

// events
#define GP_EVENT_FIELDS(Name, traits, ...) GP_FIELDS(Name, __VA_ARGS__)
GP_EVENTS(GP_EVENT_FIELDS)
#undef GP_EVENT_FIELDS

}  // namespace gp
