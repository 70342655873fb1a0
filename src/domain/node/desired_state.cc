#include "domain/node/desired_state.h"

#include "domain/cluster/event_traits.h"

namespace gp {
namespace {

struct OrderedNodes {
  const State& state;
  std::set<NodeId>& nodes;

  void OfJob(JobId id) {
    const Job* job = state.FindJob(id);
    if (job == nullptr || job->attempts.empty()) return;
    for (const RankRecord& rank : job->attempts.back().ranks) nodes.insert(rank.node);
  }
  void operator()(const GangPlaced& event) { OfJob(event.job); }
  void operator()(const LeaseEnded& event) {
    OfJob(event.job);
    // In the same batch the job may have been placed elsewhere; the old lease must be ended where
    // it was.
    const Job* job = state.FindJob(event.job);
    if (job == nullptr) return;
    for (const AttemptRecord& attempt : job->attempts) {
      for (const RankRecord& rank : attempt.ranks) {
        if (rank.lease == event.lease) nodes.insert(rank.node);
      }
    }
  }
  void operator()(const NodeReturned& event) { nodes.insert(event.node); }
  void operator()(const JobStopOrdered& event) { OfJob(event.job); }
  void operator()(const JobPreemptionOrdered& event) { OfJob(event.job); }
  void operator()(const JobMoveOrdered& event) { OfJob(event.job); }
  void operator()(const NodeJoined& event) { nodes.insert(event.node); }
  void operator()(const GpuMoved& event) { nodes.insert(event.from.node); }
  void operator()(const GpuTaskOrdered& event) { nodes.insert(event.node); }
  void operator()(const GpuTaskEnded& event) { nodes.insert(event.node); }
  void operator()(const ImageResolved& event) { OfJob(event.job); }
  void operator()(const PortsLeased& event) { OfJob(event.job); }
  void operator()(const CheckpointSaved& event) {
    const Job* job = state.FindJob(event.job);
    if (job == nullptr || job->attempts.empty()) return;
    const std::vector<RankRecord>& ranks = job->attempts.back().ranks;
    const auto of_rank = [&](int rank) {
      if (static_cast<size_t>(rank) < ranks.size())
        nodes.insert(ranks[static_cast<size_t>(rank)].node);
    };
    // A surplus checkpoint of this rank may be needed again
    const CheckpointRequest& request = job->spec->recovery.checkpoint;
    if (request.keep > 0 || !request.copy_to.empty()) of_rank(event.checkpoint.rank);
    for (const SurplusCheckpoint& one : job->surplus) of_rank(one.rank);
  }
};

// A node reports the complete checkpoints of such a job only once they are copied.
bool IsCopied(const Job& job, const Checkpoint& checkpoint) {
  return checkpoint.is_complete && !job.spec->recovery.checkpoint.copy_to.empty();
}

}  // namespace

std::set<NodeId> NodesToUpdate(const State& state, const std::vector<Event>& events) {
  std::set<NodeId> nodes;
  OrderedNodes ordered{state, nodes};
  const auto add = [&ordered]<typename E>(const E& event) {
    if constexpr ((kTraitsOf<E> & kChangesDesiredState) != 0) ordered(event);
  };
  for (const Event& event : events) std::visit(add, event);
  return nodes;
}

NodeDesiredState DesiredStateFor(const State& state, NodeId node) {
  NodeDesiredState desired;
  desired.lineage = state.lineage;
  desired.epoch = state.epoch;
  desired.last_lease = {state.leases.last};
  for (const LeaseId id : state.FindNode(node)->leases) {
    const Lease& lease = *state.FindLease(id);
    const Job& job = *state.FindJob(lease.job);
    DesiredLease desired_lease{
        .lease = lease,
        .spec = job.spec,
        .user = job.user,
        .queue = job.queue,
        .node_names = {},
        .master_address = {},
        .array = job.array,
        .resume_from = {},
        .resume_step = 0,
        .checkpoints_seen = 0,
        .resume_copy = {},
        .copies = {},
        .surplus = {},
        .image_digest = job.image_digest,
        .first_port = job.attempts.back().first_port,
        .awaits_ports = job.attempts.back().leases_ports && job.attempts.back().first_port == 0,
        .job_token = {},
        .secrets = {}};
    desired_lease.lease.metered_until = {};  // only the ledger uses it
    desired_lease.lease.use = desired_lease.lease.reported = {};
    desired_lease.lease.idle_ms = 0;
    if (const Checkpoint* newest = NewestBefore(lease.attempt, job.checkpoints)) {
      desired_lease.resume_from = newest->path;
      desired_lease.resume_step = newest->step;
      if (IsCopied(job, *newest)) desired_lease.resume_copy = CopyName(*newest);
    }
    for (const Checkpoint& one : job.checkpoints) {
      if (IsCopied(job, one)) desired_lease.copies.push_back(CopyName(one));
    }
    desired_lease.checkpoints_seen =
        job.attempts.back().ranks[static_cast<size_t>(lease.rank)].checkpoints_seen;
    for (const SurplusCheckpoint& one : job.surplus) {
      if (one.rank == lease.rank) desired_lease.surplus.push_back(one.path);
    }
    for (const RankRecord& rank : job.attempts.back().ranks) {
      desired_lease.node_names.push_back(state.FindNode(rank.node)->facts->name);
    }
    const NodeFacts& master = *state.FindNode(job.attempts.back().ranks.front().node)->facts;
    desired_lease.master_address = master.simulated ? "127.0.0.1" : master.name;
    desired.leases.push_back(std::move(desired_lease));
  }
  for (auto trouble = state.faults.troubles.lower_bound({node, 0});
       trouble != state.faults.troubles.end() && trouble->first.node == node; ++trouble) {
    if (trouble->second.task != GpuTask::kNone)
      desired.tasks.push_back(
          {trouble->first.gpu, trouble->second.task, trouble->second.task_number});
  }
  return desired;
}

}  // namespace gp
