#include "domain/cluster/nodes/report_of.h"

namespace gp {

ReportNode ReportOf(const State& state, Instant at, LeaseId lease, std::optional<LeaseEnd> end) {
  const Node& node = *state.FindNode(state.FindLease(lease)->node);
  ReportNode report{node.id, node.incarnation, {}, {}};
  for (const LeaseId id : node.leases) {
    LeaseObservation seen;
    seen.lease = id;
    seen.running = id == lease || state.FindLease(id)->phase == LeasePhase::kStarted;
    seen.ended = id == lease && end.has_value();
    seen.started_at = WallOf(state.time, at);
    seen.ended_at = WallOf(state.time, at);
    seen.outcome.end = end.value_or(LeaseEnd::kExited);
    report.leases.push_back(seen);
  }
  return report;
}

ReportGpus TasksDone(const State& state, NodeId node) {
  ReportGpus report{node, state.FindNode(node)->incarnation, {}, {}};
  for (auto next = state.faults.troubles.lower_bound({node, 0});
       next != state.faults.troubles.end() && next->first.node == node; ++next) {
    if (next->second.task != GpuTask::kNone)
      report.results.push_back({next->first.gpu, next->second.task_number, true, ""});
  }
  return report;
}

}  // namespace gp
