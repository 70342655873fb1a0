#include "domain/cluster/check/invariants.h"

#include <algorithm>
#include <set>
#include <string>

#include "domain/cluster/check/invariant_parts.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/quotas/quota.h"
#include "domain/cluster/reservations.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

// Checks one more instance against the slices already taken.
template <typename Report>
void CheckInstance(const GpuFacts& facts, const GpuGrant& grant, MigSlices& slices,
                   const Report& report) {
  const MigProfile* profile = facts.mig.Find(grant.mig_profile);
  const MigSlices mine = SlicesOf(grant, facts);
  if (profile == nullptr || mine == 0 || (profile->starts >> grant.mig_start & 1) == 0)
    return report("I3", "a MIG instance where none can be");
  if ((mine & slices) != 0) report("I3", "MIG instances overlap");
  slices |= mine;
}

void CheckGpu(const State& state, const Node& node, size_t index, Violations& found) {
  const Gpu& gpu = node.gpus[index];
  const GpuFacts& facts = node.facts->gpus[index];
  const auto report = [&](const char* rule, const std::string& what) {
    found.push_back({rule, facts.uuid + ": " + what});
  };
  int share = 0;
  int64_t memory = 0;
  MigSlices slices = 0;
  for (const LeaseId id : gpu.leases) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr) {
      report("I6", "held by " + ToText(id) + ", which does not live");
      continue;
    }
    const auto grant = std::ranges::find(lease->gpus, static_cast<int>(index), &GpuGrant::gpu);
    if (lease->node != node.id || grant == lease->gpus.end()) {
      report("I6", "held by " + ToText(id) + ", which does not name it");
      continue;
    }
    if (lease->mode != gpu.mode) report("I4", "leases of two modes");
    const Job* job = state.FindJob(lease->job);
    const bool is_of_one_user = gpu.mode == GpuMode::kTimeslice || gpu.mode == GpuMode::kMps;
    if (job != nullptr && is_of_one_user && job->user.name != gpu.owner)
      report("I4", "shared by two users");
    if (lease->mode == GpuMode::kMig) CheckInstance(facts, *grant, slices, report);
    share += grant->share;
    memory += grant->memory_mib;
  }
  if (memory > facts.memory_mib) report("I1", "memory granted beyond what is usable");
  if (share > kWholeShare) report("I2", "more than the whole compute granted");
  if (gpu.mode == GpuMode::kWhole && gpu.leases.size() > 1) report("I2", "whole GPU held twice");
  if (gpu.leases.empty() != (gpu.mode == GpuMode::kFree)) report("I4", "mode without leases");
  if (share != gpu.share_granted || memory != gpu.memory_granted_mib || slices != gpu.mig_slices)
    report("I8", "sums are off");
}

void CheckNuma(const State& state, const Node& node, Violations& found) {
  std::vector<NumaLedger> sums(node.numa.size());
  for (const LeaseId id : node.leases) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr || lease->node != node.id) {
      found.push_back({"I6", node.facts->name + " lists " + ToText(id) + ", which is not there"});
      continue;
    }
    for (const NumaGrant& grant : lease->numa) {
      NumaLedger& sum = sums[static_cast<size_t>(grant.numa)];
      if (sum.cpus_granted.Intersects(grant.cpus)) {
        found.push_back({"I7", node.facts->name + ": cores held twice"});
      }
      sum.cpus_granted = sum.cpus_granted.Union(grant.cpus);
      sum.memory_granted_mib += grant.memory_mib;
    }
  }
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i].memory_granted_mib > node.facts->numa[i].memory_mib) {
      found.push_back({"I7", node.facts->name + ": host memory granted beyond what there is"});
    }
    if (sums[i].cpus_granted != node.numa[i].cpus_granted ||
        sums[i].memory_granted_mib != node.numa[i].memory_granted_mib) {
      found.push_back({"I8", node.facts->name + ": NUMA sums are off"});
    }
  }
}

void CheckNode(const State& state, const Node& node, Violations& found) {
  CheckTroublesOf(state, node, found);
  const bool expires = node.condition == NodeCondition::kLost && !node.leases_expired;
  if (expires !=
      state.nodes.losses.contains({node.lost_at + state.policy.lease_end_time, node.id})) {
    found.push_back({"index", node.facts->name + ": index of losses is off"});
  }
  for (size_t i = 0; i < node.gpus.size(); ++i) CheckGpu(state, node, i, found);
  CheckNuma(state, node, found);
}

void CheckJob(const State& state, const Job& job, Violations& found) {
  const auto report = [&](const char* rule, const std::string& what) {
    found.push_back({rule, ToText(job.id) + " (" + Name(job.state) + "): " + what});
  };
  const size_t ranks = static_cast<size_t>(job.spec->resources.nodes);
  if (HoldsLeases(job.state)) {
    if (job.leases.empty() || job.leases.size() > ranks) report("I5", "wrong number of leases");
    // Ranks may end one by one; a gang with a failed rank is being stopped.
    bool others_good = true;
    for (const RankRecord& rank : job.attempts.back().ranks) {
      const bool live = state.leases.all.contains(rank.lease);
      const bool good = rank.outcome.end == LeaseEnd::kExited && rank.outcome.exit_code == 0 &&
                        rank.outcome.signal == 0;
      if (!live && !good) others_good = false;
    }
    if (!others_good && job.stop == StopCause::kNone)
      report("I5", "part of the gang runs on alone");
  } else if (!job.leases.empty()) {
    report("I5", "holds leases");
  }
  for (const LeaseId id : job.leases) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr || lease->job != job.id || lease->attempt != job.attempt) {
      report("I6", ToText(id) + " is not of its current attempt");
    } else if (static_cast<int>(lease->gpus.size()) != job.spec->resources.gpus.count) {
      report("I5", ToText(id) + " has not the GPUs asked");
    }
  }
  if (!job.nominated_nodes.empty() && job.state != JobState::kQueued)
    report("I5", "has nominated nodes without waiting for them");
  CheckIndexesOf(state, job, found);
}

void CheckLease(const State& state, const Lease& lease, Violations& found) {
  const Job* job = state.FindJob(lease.job);
  const Node* node = state.FindNode(lease.node);
  if (job == nullptr || !std::ranges::count(job->leases, lease.id)) {
    found.push_back({"I6", ToText(lease.id) + " has no live owner"});
  }
  if (node == nullptr || !std::ranges::count(node->leases, lease.id)) {
    found.push_back({"I6", ToText(lease.id) + " is not listed by its node"});
    return;
  }
  for (const GpuGrant& grant : lease.gpus) {
    if (!std::ranges::count(node->gpus[static_cast<size_t>(grant.gpu)].leases, lease.id)) {
      found.push_back({"I6", ToText(lease.id) + " is not listed by a GPU that it names"});
    }
  }
}

// I9: a placement keeps the present limits.
void CheckLimits(const State& state, const Job& job, Violations& found) {
  const auto check = [&](const AccountId& id, const Quota& limit) {
    const auto account = state.queues.accounts.find(id);
    const Holding held = account == state.queues.accounts.end() ? Holding{} : account->second.held;
    if ((limit.gpus && held.share > *limit.gpus * kWholeShare && HoldingOf(state, job).share > 0) ||
        (limit.jobs && held.jobs > *limit.jobs) ||
        (limit.cpus && held.cpus > *limit.cpus && HoldingOf(state, job).cpus > 0) ||
        (limit.memory_mib && held.memory_mib > *limit.memory_mib &&
         HoldingOf(state, job).memory_mib > 0)) {
      found.push_back(
          {"I9", ToText(job.id) + " was placed beyond a limit of " +
                     (id.array.value != 0 ? "array " + ToText(id.array) : "queue " + id.queue)});
    }
  };
  for (const std::string& path : PathsTo(job.queue)) {
    const Queue& queue = state.queues.all.at(path);
    check({path, ""}, queue.limit);
    check({path, job.user.name}, queue.user_limit);
  }
  if (const JobId array = LimitingArray(job); array.value != 0)
    check({"", "", array}, LimitOf(job));
}

// I6: new grants are only on grantable GPUs; they still are, because a placement changes no
// condition.
void CheckNewGrants(const State& state, const GangPlaced& placed, Violations& found) {
  for (const Lease& lease : placed.leases) {
    const Node& node = *state.FindNode(lease.node);
    const int gpus = static_cast<int>(lease.gpus.size());
    const auto grantable = [&](const GpuGrant& g) {
      return IsGrantable(node.gpus[static_cast<size_t>(g.gpu)], gpus);
    };
    if (node.condition != NodeCondition::kUp || node.draining ||
        !std::ranges::all_of(lease.gpus, grantable)) {
      found.push_back({"I6", ToText(lease.id) + " was granted where nothing may be granted"});
    }
    const Job* job = state.FindJob(placed.job);
    if (job != nullptr && !MissingFeature(*job->spec, *node.facts).empty()) {
      found.push_back({"I3", ToText(lease.id) + " was granted on a node without " +
                                 MissingFeature(*job->spec, *node.facts)});
    }
    const auto can_mps = [&](const GpuGrant& g) {
      return node.facts->gpus[static_cast<size_t>(g.gpu)].mps;
    };
    const auto is_divided = [&](const GpuGrant& g) {
      return !node.facts->gpus[static_cast<size_t>(g.gpu)].mig.empty();
    };
    const bool is_offered = lease.mode == GpuMode::kMig
                                ? std::ranges::all_of(lease.gpus, is_divided)
                                : std::ranges::none_of(lease.gpus, is_divided);
    if (!is_offered || (lease.mode == GpuMode::kMps && !std::ranges::all_of(lease.gpus, can_mps))) {
      found.push_back(
          {"I3", ToText(lease.id) + " was granted in a mode that its node does not offer"});
    }
  }
}

// The nodes and jobs that events name.
struct Touched {
  std::set<NodeId> nodes;
  std::set<JobId> jobs;
};

struct TouchedBy {
  const State& state;
  Touched& touched;

  // Events that name more than one node or job, or under another name.
  void operator()(const GangPlaced& event) {
    touched.jobs.insert(event.job);
    for (const Lease& lease : event.leases) touched.nodes.insert(lease.node);
  }
  void operator()(const JobSubmitted& event) {
    const std::vector<JobId> jobs = JobsOf(event.job, *event.spec);
    touched.jobs.insert(jobs.begin(), jobs.end());
  }
  void operator()(const NodesReserved& event) {
    touched.nodes.insert(event.reservation.nodes.begin(), event.reservation.nodes.end());
  }
  void operator()(const GpuMoved& event) { touched.nodes.insert({event.from.node, event.to.node}); }
  void operator()(const GpuRetired& event) { touched.nodes.insert(event.gpu.node); }
  template <typename E>
  void operator()(const E& event) {
    if constexpr (requires { event.node; })
      touched.nodes.insert(event.node);
    else if constexpr (requires { event.job; })
      touched.jobs.insert(event.job);
    else if constexpr (requires { event.lease; })
      TouchLease(event.lease);
  }

  void TouchLease(LeaseId id) {
    if (const Lease* lease = state.FindLease(id)) {
      touched.jobs.insert(lease->job);
      touched.nodes.insert(lease->node);
    }
  }
};

}  // namespace

std::vector<Violation> CheckInvariants(const State& state) {
  Violations found;
  CheckShape(state, found);
  if (!found.empty()) return found;
  for (const Node& node : state.nodes.all) CheckNode(state, node, found);
  for (const auto& [id, job] : state.jobs.all) CheckJob(state, job, found);
  for (const auto& [id, lease] : state.leases.all) CheckLease(state, lease, found);
  CheckSums(state, found);
  CheckReservations(state, found);
  CheckJobIndexSizes(state, found);
  CheckNodeIndexSizes(state, found);
  CheckFaults(state, found);
  CheckRequests(state, found);
  if (found.empty()) CheckMetering(state, found);
  return found;
}

std::vector<Violation> CheckDelta(const State& state, const std::vector<Event>& events) {
  Touched touched;
  for (const Event& event : events) std::visit(TouchedBy{state, touched}, event);
  Violations found;
  for (const Event& event : events) {
    const auto* placed = std::get_if<GangPlaced>(&event);
    if (const auto* reserved = std::get_if<NodesReserved>(&event))
      CheckReserved(state, reserved->reservation, found);
    const auto check_node = [&](NodeId id) {
      const Node& node = state.nodes.all[id.value];
      for (const Reservation* reservation : ReservationsOf(state, node))
        CheckReservedNode(state, *reservation, node, found);
    };
    if (const auto* changed = std::get_if<JobTimeLimitChanged>(&event)) {
      for (const LeaseId lease : state.FindJob(changed->job)->leases)
        check_node(state.FindLease(lease)->node);
    }
    if (placed == nullptr) continue;
    for (const Lease& lease : placed->leases) check_node(lease.node);
    CheckNewGrants(state, *placed, found);
    CheckLimits(state, *state.FindJob(placed->job), found);
  }
  for (const JobId id : touched.jobs) {
    const Job* job = state.FindJob(id);
    if (job == nullptr) continue;
    CheckJob(state, *job, found);
    for (const LeaseId lease : job->leases) {
      if (state.FindLease(lease) != nullptr) CheckLease(state, *state.FindLease(lease), found);
    }
    if (job->attempts.empty()) continue;
    for (const RankRecord& rank : job->attempts.back().ranks) touched.nodes.insert(rank.node);
  }
  for (const NodeId id : touched.nodes) CheckNode(state, *state.FindNode(id), found);
  return found;
}

}  // namespace gp
