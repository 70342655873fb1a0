#include "tests/support/event_text.h"

#include "base/cpu_set.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

struct Teller {
  const State& state;
  const std::map<JobId, std::string>& names;

  std::string Job(JobId id) const {
    const auto it = names.find(id);
    return it == names.end() ? ToText(id) : it->second;
  }
  std::string Node(NodeId id) const { return state.FindNode(id)->facts->name; }
  std::string Gpu(NodeId node, int gpu) const {
    return Node(node) + "[" + std::to_string(gpu) + "]";
  }
  std::string LeaseOf(LeaseId id) const {
    const Lease* lease = state.FindLease(id);
    return lease == nullptr ? ToText(id) : Job(lease->job) + "/" + std::to_string(lease->rank);
  }
  std::string Held(const Lease& lease) const {
    CpuSet gpus;
    for (const GpuGrant& grant : lease.gpus) gpus.Add(grant.gpu);
    std::string text = " " + Node(lease.node) + "[" + gpus.ToString() + "]";
    if (lease.mode != GpuMode::kWhole) {
      text += "*" + std::to_string(lease.gpus[0].share) + ":" +
              std::to_string(lease.gpus[0].memory_mib) + "MiB";
      if (lease.mode == GpuMode::kMig) text += "@" + std::to_string(lease.gpus[0].mig_start);
    }
    return text;
  }

  // Where it is more than what the event says already.
  static std::string TellingClass(EndClass end) {
    const bool tells = end == EndClass::kGpuMemory || end == EndClass::kCommunication ||
                       end == EndClass::kHang || end == EndClass::kHostMemory;
    return tells ? std::string(" by ") + Name(end) : "";
  }

  std::string operator()(const ControllerStarted&) const { return "controller-started"; }
  std::string operator()(const FormatRaised& e) const {
    return "format-raised " + std::to_string(e.format);
  }
  std::string operator()(const WallClockStepped& e) const {
    return "wall-clock-stepped " + ToText(e.wall);
  }
  std::string operator()(const NodeJoined& e) const { return "node-joined " + e.facts->name; }
  std::string operator()(const GpuMoved& e) const {
    return "gpu-moved " + Gpu(e.from.node, e.from.gpu) + " " + Gpu(e.to.node, e.to.gpu);
  }
  std::string operator()(const GpuRetired& e) const {
    return "gpu-retired " + Gpu(e.gpu.node, e.gpu.gpu);
  }
  std::string operator()(const NodeLost& e) const { return "node-lost " + Node(e.node); }
  std::string operator()(const NodeLeasesExpired& e) const {
    return "leases-expired " + Node(e.node);
  }
  std::string operator()(const NodeReturned& e) const { return "node-returned " + Node(e.node); }
  std::string operator()(const NodeDrainChanged& e) const {
    return (e.draining ? "node-draining " : "node-undrained ") + Node(e.node);
  }
  std::string operator()(const GpuConditionChanged& e) const {
    return "gpu " + Gpu(e.node, e.gpu) + " " + Name(e.to);
  }
  std::string operator()(const GpuDrainChanged& e) const {
    return (e.draining ? "gpu-draining " : "gpu-undrained ") + Gpu(e.node, e.gpu);
  }
  std::string operator()(const JobSubmitted& e) const {
    const int count = e.spec->policy.array.count;
    return "job-submitted " + Job(e.job) +
           (count == 0 ? "" : "[0-" + std::to_string(count - 1) + "]");
  }
  std::string operator()(const QueueChanged& e) const { return "queue-changed " + e.queue.name; }
  std::string operator()(const QueueDeleted& e) const { return "queue-deleted " + e.name; }
  std::string operator()(const NodesReserved& e) const {
    std::string text = "nodes-reserved " + e.reservation.name;
    for (const NodeId node : e.reservation.nodes) text += " " + Node(node);
    return text;
  }
  std::string operator()(const RoleGranted& e) const {
    return "role " + e.subject + (e.queue.empty() ? "" : " in " + e.queue) + " " +
           (e.role ? Name(*e.role) : "taken-away");
  }
  std::string operator()(const TokenIssued& e) const {
    return "token-issued " + ToText(e.token.id) + " for " + e.token.user.name;
  }
  std::string operator()(const NodeCertified& e) const {
    return "node-certified " + e.name + " " + e.certificate.fingerprint.substr(0, 4);
  }
  std::string operator()(const NodeRevoked& e) const { return "node-revoked " + e.name; }
  std::string operator()(const JoinTokenIssued& e) const { return "join-token-issued " + e.name; }
  std::string operator()(const JoinTokenEnded& e) const { return "join-token-ended " + e.name; }
  std::string operator()(const TokenEnded& e) const { return "token-ended " + ToText(e.token); }
  std::string operator()(const BudgetChanged& e) const { return "budget-changed " + ToText(e.key); }
  std::string operator()(const RequestAnswered& e) const {
    return "request-answered " + e.key.substr(e.key.find('\n') + 1);
  }
  std::string operator()(const BudgetLevelChanged& e) const {
    return "budget-level " + ToText(e.who.key) + (e.who.user.empty() ? "" : " of " + e.who.user) +
           " " + std::to_string(e.level.warned) + (e.level.is_used_up ? " used up" : "");
  }
  std::string operator()(const BudgetDeleted& e) const { return "budget-deleted " + ToText(e.key); }
  std::string operator()(const ChangeNoted& e) const {
    return "change-noted " + e.operation + " " + e.target;
  }
  std::string operator()(const PolicyChanged&) const { return "policy-changed"; }
  std::string operator()(const WaitTargetMissed& e) const {
    return "wait-target-missed " + e.queue + " " + Job(e.job);
  }
  std::string operator()(const WaitTargetMet& e) const { return "wait-target-met " + e.queue; }
  std::string operator()(const JobQueueChanged& e) const {
    return "job-queue-changed " + Job(e.job) + " " + e.queue;
  }
  std::string operator()(const JobTimeLimitChanged& e) const {
    return "job-time-limit-changed " + Job(e.job) + " " + ToText(e.time_limit);
  }
  std::string operator()(const JobLimitNear& e) const { return "job-limit-near " + Job(e.job); }
  std::string operator()(const LeaseUseNoted& e) const {
    return "lease-use-noted " + ToText(e.lease) + " idle " + std::to_string(e.idle_ms / 1000) + "s";
  }
  std::string operator()(const JobIdle& e) const {
    return "job-idle " + Job(e.job) + ": " + e.reason;
  }
  std::string operator()(const AccessRefused& e) const {
    return "refused " + e.operation + ": " + e.why;
  }
  std::string operator()(const ReservationEnded& e) const { return "reservation-ended " + e.name; }
  std::string operator()(const NodePoolChanged& e) const {
    return "node-pool-changed " + Node(e.node) + " " + e.pool;
  }
  std::string operator()(const NodeLabelsChanged& e) const {
    return "node-labels-changed " + Node(e.node);
  }
  std::string operator()(const NodeImagesChanged& e) const {
    return "node-images-changed " + Node(e.node) + " " + std::to_string(e.images.size());
  }
  std::string operator()(const JobPriorityChanged& e) const {
    return "job-priority-changed " + Job(e.job) + " " + std::to_string(e.priority);
  }
  std::string operator()(const JobUnblocked& e) const { return "job-unblocked " + Job(e.job); }
  std::string operator()(const JobHeld& e) const { return "job-held " + Job(e.job); }
  std::string operator()(const JobReleased& e) const { return "job-released " + Job(e.job); }
  std::string operator()(const GangPlaced& e) const {
    std::string text = "gang-placed " + Job(e.job);
    for (const Lease& lease : e.leases) text += Held(lease);
    return text;
  }
  std::string operator()(const LeaseStarted& e) const {
    return "lease-started " + LeaseOf(e.lease);
  }
  std::string operator()(const LeaseEnded& e) const {
    std::string text = "lease-ended " + LeaseOf(e.lease) + " " + Name(e.outcome.end);
    if (e.outcome.signal != 0) return text + " signal " + std::to_string(e.outcome.signal);
    return e.outcome.exit_code == 0 ? text : text + " " + std::to_string(e.outcome.exit_code);
  }
  std::string operator()(const JobStarted& e) const { return "job-started " + Job(e.job); }
  std::string operator()(const JobStopOrdered& e) const {
    return "job-stop-ordered " + Job(e.job) + " " + Name(e.cause) +
           (e.order == StopOrder::kKill ? " kill" : "");
  }
  std::string operator()(const JobPreemptionOrdered& e) const {
    return "job-preemption-ordered " + Job(e.job) + " for " + Job(e.by);
  }
  std::string operator()(const JobMoveOrdered& e) const {
    std::string text = "job-move-ordered " + Job(e.job) + " for " + Job(e.by) + " to";
    for (const RankTarget& target : e.destination)
      text += " " + ToText(*state.FindNode(target.node), target.gpus);
    return text;
  }
  std::string operator()(const JobRequeued& e) const {
    static constexpr const char* kCharge[] = {"", " retry", " fault", " preemption", " move"};
    return "job-requeued " + Job(e.job) + kCharge[static_cast<int>(e.charge)] + TellingClass(e.end);
  }
  std::string operator()(const JobRetried& e) const { return "job-retried " + Job(e.job); }
  std::string operator()(const JobEnded& e) const {
    return "job-ended " + Job(e.job) + " " + Name(e.state) + " " + std::to_string(e.exit_code) +
           TellingClass(e.end);
  }
  std::string operator()(const FaultSeen& e) const {
    if (e.gpu < 0)
      return "fault-seen " + Node(e.node) + (e.xid == 0 ? "" : " sxid " + std::to_string(e.xid));
    return "fault-seen " + Gpu(e.node, e.gpu) +
           (e.xid == 0 ? "" : " xid " + std::to_string(e.xid)) + (e.error ? " counted" : "");
  }
  std::string operator()(const GpuHealthChanged& e) const {
    std::string text = "gpu-health " + Gpu(e.node, e.gpu);
    for (const HealthFinding& finding : e.findings) text += std::string(" ") + Name(finding.code);
    return text + (e.findings.empty() ? " ok" : "");
  }
  std::string operator()(const JobXidNoted& e) const {
    return "job-xid-noted " + Job(e.job) + " " + std::to_string(e.note.xid) +
           (e.note.forgiven ? " forgiven" : "");
  }
  std::string operator()(const IncidentOpened& e) const {
    return "incident-opened " + ToText(e.incident.id) + " \"" + e.incident.cause + "\"" +
           (e.incident.needs_person ? " needs-person" : "");
  }
  std::string operator()(const IncidentNoted& e) const {
    return "incident-noted " + ToText(e.incident) + " \"" + e.what + "\"" +
           (e.needs_person ? " needs-person" : "");
  }
  std::string operator()(const IncidentChanged& e) const {
    return "incident-changed " + ToText(e.incident) + " " + Name(e.state);
  }
  std::string operator()(const GpuRemedyChanged& e) const {
    return "gpu-remedy " + Gpu(e.node, e.gpu) + " " + Name(e.remedy);
  }
  std::string operator()(const GpuTaskOrdered& e) const {
    return "gpu-task-ordered " + Gpu(e.node, e.gpu) + " " + Name(e.task);
  }
  std::string operator()(const GpuTaskEnded& e) const {
    return "gpu-task-ended " + Gpu(e.node, e.gpu);
  }
  std::string operator()(const DrainDeadlineSet& e) const {
    return "drain-deadline " + (e.gpu < 0 ? Node(e.node) : Gpu(e.node, e.gpu)) +
           (e.at.ns == 0 ? " none" : "");
  }
  std::string operator()(const ImageResolved& e) const {
    return "image-resolved " + Job(e.job) + " " + e.digest.substr(0, 10);
  }
  std::string operator()(const PortsLeased& e) const {
    return "ports-leased " + Job(e.job) + " " + std::to_string(e.first_port);
  }
  std::string operator()(const CheckpointSaved& e) const {
    return "checkpoint-saved " + Job(e.job) + " step " + std::to_string(e.checkpoint.step) +
           (e.checkpoint.is_complete ? "" : " incomplete");
  }
  std::string operator()(const BreakerOpened& e) const { return "breaker-opened " + e.pool; }
  std::string operator()(const JobForgotten& e) const { return "job-forgotten " + Job(e.job); }
};

}  // namespace

std::string EventText(const State& state, const Event& event,
                      const std::map<JobId, std::string>& names) {
  return std::visit(Teller{state, names}, event);
}

}  // namespace gp
