#include <algorithm>

#include "base/text.h"
#include "domain/cluster/decide.h"
#include "domain/cluster/decide_fault.h"
#include "domain/cluster/decide_parts.h"
#include "domain/cluster/faults.h"
#include "domain/cluster/reservations.h"
#include "domain/cluster/under_use.h"

namespace gp {
namespace {

const LeaseObservation* FindObservation(const std::vector<LeaseObservation>& all, LeaseId id) {
  const auto it = std::ranges::find(all, id, &LeaseObservation::lease);
  return it == all.end() ? nullptr : &*it;
}

// Whether all other ranks run already, or ran to an end of their own, so that this one completes the gang's start.  One
// that was stopped or lost may never have run.
bool CompletesGang(const State& state, const Job& job, LeaseId starting) {
  return job.state == JobState::kStarting && std::ranges::all_of(job.attempts.back().ranks, [&](const RankRecord& rank) {
           const Lease* lease = state.FindLease(rank.lease);
           if (lease == nullptr) return rank.outcome.end == LeaseEnd::kExited;
           return rank.lease == starting || lease->phase == LeasePhase::kStarted;
         });
}

void NoteCheckpoints(const Job& job, const Lease& lease, const std::vector<Checkpoint>& reported, Events& events) {
  int64_t seen = job.attempts.back().ranks[static_cast<size_t>(lease.rank)].checkpoints_seen;
  for (Checkpoint one : reported) {
    if (one.number <= seen) continue;
    seen = one.number;
    one.attempt = lease.attempt;
    one.rank = lease.rank;
    events.push_back(CheckpointSaved{job.id, std::move(one)});
  }
}

void ObserveLease(const State& state, Instant at, const Lease& lease, const LeaseObservation& seen,
                  Events& events) {
  const Job& job = *state.FindJob(lease.job);
  // One that was declined, or could not start, has ended without having run.
  const bool ran = seen.running || (seen.ended && seen.started_at.ns > 0);
  if (ran && lease.phase == LeasePhase::kGranted) {
    events.push_back(LeaseStarted{lease.id, seen.started_at.ns > 0 ? seen.started_at : at});
    if (CompletesGang(state, job, lease.id)) events.push_back(JobStarted{job.id});
  }
  NoteCheckpoints(job, lease, seen.checkpoints, events);
  ObserveUse(state, at, job, lease, seen.use, seen.ended, events);
  if (seen.ended) {
    EndLease(state, at, lease, seen.outcome, events);
  } else if (seen.is_hung && job.stop == StopCause::kNone && job.spec->hang_after.ns > 0) {
    const std::string who = job.spec->nodes > 1 ? "rank " + std::to_string(lease.rank) + " hangs" : "it hangs";
    events.push_back(JobStopOrdered{job.id, StopCause::kHang, StopOrder::kGraceful,
                                    who + ": no progress for " + ToText(job.spec->hang_after)});
  }
}

// What a full list of observations says of the node's leases.  `all_missing_ended`: a lease that is
// not listed cannot be anywhere; otherwise one that never started may still be on its way.
void ObserveLeases(const State& state, Instant at, const Node& node,
                   const std::vector<LeaseObservation>& observed, bool all_missing_ended,
                   Events& events) {
  for (const LeaseId id : node.leases) {
    const Lease& lease = *state.FindLease(id);
    if (const LeaseObservation* seen = FindObservation(observed, id)) {
      ObserveLease(state, at, lease, *seen, events);
    } else if (all_missing_ended || lease.phase == LeasePhase::kStarted) {
      EndLease(state, at, lease,
               {LeaseEnd::kSupervisorLost, 0, 0, "its node no longer knows of it"}, events);
    }
  }
}

// `now`: the GPU's condition, and afterwards the one that follows from what was seen.
void ObserveGpu(const Node& node, const GpuObservation& seen, const GpuTrouble& trouble, GpuCondition& now, Events& events) {
  const auto move = [&](GpuCondition to, const std::string& reason) {
    if (!CanBecome(now, to)) return;
    events.push_back(GpuConditionChanged{node.id, seen.gpu, to, reason});
    now = to;
  };
  if (seen.lost) {
    move(GpuCondition::kLost, seen.detail);
    return;
  }
  const bool is_back = now == GpuCondition::kLost;
  if (is_back) move(GpuCondition::kUnknown, "answers again");
  if (now == GpuCondition::kUnknown) move(GpuCondition::kTesting, "");
  if (trouble.task != GpuTask::kNone) return;  // how it ends is what counts
  // Back from being lost: what is to be done about it still is.
  if (trouble.remedy >= GpuRemedy::kReset) {
    move(GpuCondition::kQuarantined, "answers again");
    return;
  }
  if (trouble.remedy == GpuRemedy::kTest || trouble.remedy == GpuRemedy::kDrainReset) {
    move(GpuCondition::kSuspect, "answers again");
    return;
  }
  const Gpu& gpu = node.gpus[static_cast<size_t>(seen.gpu)];
  if (is_back && gpu.draining) {  // out of service it may have been before, and is again
    move(GpuCondition::kOffline, gpu.reason);
  } else if (now == GpuCondition::kTesting) {
    move(seen.healthy ? GpuCondition::kAvailable : GpuCondition::kSuspect, seen.detail);
  } else if (now == GpuCondition::kAvailable && !seen.healthy) {
    move(GpuCondition::kSuspect, seen.detail);
  } else if (now == GpuCondition::kSuspect && seen.healthy) {
    move(GpuCondition::kTesting, "");
  }
}

// What a report says of each GPU: its first word, where an agent should contradict itself.
void ObserveGpus(const State& state, const Node& node, const std::vector<GpuObservation>& all, Events& events) {
  std::vector<const GpuObservation*> by_gpu(node.gpus.size());
  for (const GpuObservation& seen : all) {
    if (seen.gpu < 0 || seen.gpu >= static_cast<int>(node.gpus.size())) continue;
    const GpuObservation*& first = by_gpu[static_cast<size_t>(seen.gpu)];
    if (first == nullptr) first = &seen;
  }
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    const Gpu& gpu = node.gpus[i];
    GpuCondition now = gpu.condition;
    const GpuTrouble* trouble = FindTrouble(state, {node.id, static_cast<int>(i)});
    if (by_gpu[i] != nullptr) ObserveGpu(node, *by_gpu[i], trouble == nullptr ? GpuTrouble{} : *trouble, now, events);
    // One that was draining and holds nothing any more is out of service.
    if (gpu.draining && gpu.leases.empty() && now == GpuCondition::kAvailable) {
      events.push_back(GpuConditionChanged{node.id, static_cast<int>(i), GpuCondition::kOffline, gpu.reason});
    }
  }
}

Result<const Node*> LiveNode(const State& state, NodeId id) {
  const Node* node = state.FindNode(id);
  if (node == nullptr) return Fail(NotFound("no node with id " + std::to_string(id.value)));
  return node;
}

void LoseGpus(const Node& node, const std::string& reason, Events& events) {
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    if (node.gpus[i].condition == GpuCondition::kOffline) continue;  // stays out by a person's word
    if (!CanBecome(node.gpus[i].condition, GpuCondition::kLost)) continue;
    events.push_back(GpuConditionChanged{node.id, static_cast<int>(i), GpuCondition::kLost, reason});
  }
}

// Who has an instance of a GPU, or the whole, needs it divided as it was.
Status CheckSameDivision(const Node& node, const NodeFacts& facts) {
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    if (node.gpus[i].leases.empty() || node.facts->gpus[i].mig == facts.gpus[i].mig) continue;
    return Fail(Conflict("node " + facts.name + " came back with GPU " + std::to_string(i) + (facts.gpus[i].mig.empty() ? " out of" : " in") +
                         " MIG mode, or otherwise divided, while it is held: set it back, or end what holds it"));
  }
  return Ok();
}

// A node may come back with other GPUs only when nothing is held on it: grants name positions.
Status CheckSameHardware(const Node& node, const NodeFacts& facts) {
  if (node.facts->HasGpusOf(facts) && node.facts->numa == facts.numa) return CheckSameDivision(node, facts);
  if (node.leases.empty()) return Ok();
  return Fail(Conflict("node " + facts.name + " came back with other hardware while " +
                       std::to_string(node.leases.size()) +
                       " leases are held on it: end them, or declare the node lost"));
}

}  // namespace

bool IsOfLineage(const State& state, const JoinNode& join) {
  return join.lineage == state.lineage || (join.lineage == 0 && join.fresh);
}

Result<Events> DecideJoin(const State& state, Instant at, const JoinNode& command) {
  GP_CHECK_OK(ValidateNodeFacts(*command.facts));
  if (!IsOfLineage(state, command)) {
    return Fail(Conflict("node " + command.facts->name + " keeps attempts of another journal: it must end them first"));
  }
  Events events;
  const auto known = state.nodes_by_name.find(command.facts->name);
  if (known == state.nodes_by_name.end()) {
    const NodeId id{static_cast<uint32_t>(state.nodes.size())};
    events.push_back(NodeJoined{id, command.facts, command.incarnation});
    return events;
  }
  const Node& node = *state.FindNode(known->second);
  if (command.incarnation < node.incarnation) {
    return Fail(Conflict("node " + command.facts->name +
                         " has joined with a newer agent: this one must stop"));
  }
  GP_CHECK_OK(CheckSameHardware(node, *command.facts));
  events.push_back(NodeJoined{node.id, command.facts, command.incarnation});
  ObserveLeases(state, at, node, command.leases, command.fresh, events);
  return events;
}

Result<Events> DecideReport(const State& state, Instant at, const ReportNode& command) {
  const Node& node = *GP_TRY(LiveNode(state, command.node));
  if (command.incarnation != node.incarnation) {
    return Fail(Conflict("stale report of node " + node.facts->name + ": join again"));
  }
  Events events;
  if (node.condition == NodeCondition::kLost) events.push_back(NodeReturned{node.id});
  ObserveLeases(state, at, node, command.leases, false, events);
  ObserveGpus(state, node, command.gpus, events);
  return events;
}

Result<Events> DecideSilence(const State& state, Instant at, const SilenceNode& command) {
  const Node& node = *GP_TRY(LiveNode(state, command.node));
  Events events;
  if (node.condition == NodeCondition::kLost) return events;
  events.push_back(NodeLost{node.id});
  LoseGpus(node, "its node stopped answering", events);
  const bool may_drain = !node.draining && !IsInMaintenance(state, node, at) && !IsBreakerOpen(state, node.pool);
  if (may_drain && IsLemon(state, node, at)) {
    DrainWithIncident(node, {state.last_incident + 1}, at, "it fell silent again, and fails more often than other nodes: it takes no new work", events);
  }
  return events;
}

Result<Events> DecideDeclareLost(const State& state, Instant at, const DeclareNodeLost& command) {
  const Node& node = *GP_TRY(LiveNode(state, command.node));
  if (node.condition != NodeCondition::kLost) {
    return Fail(Conflict("node " + node.facts->name +
                         " answers: only a node that is LOST can be declared lost"));
  }
  Events events;
  for (const LeaseId id : node.leases) {
    EndLease(state, at, *state.FindLease(id),
             {LeaseEnd::kNodeLost, 0, 0, "node declared lost: " + Printable(command.reason)}, events);
  }
  return events;
}

}  // namespace gp
