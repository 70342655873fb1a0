#include "domain/cluster/invariants.h"

#include <algorithm>
#include <set>

#include "domain/cluster/dependencies.h"
#include "domain/cluster/grants.h"
#include "domain/cluster/preemption.h"
#include "domain/cluster/quota.h"
#include "domain/cluster/reservations.h"

namespace gp {
namespace {

using Violations = std::vector<Violation>;

void CheckGpu(const State& state, const Node& node, size_t index, Violations& found) {
  const Gpu& gpu = node.gpus[index];
  const GpuFacts& facts = node.facts->gpus[index];
  const auto report = [&](const char* rule, const std::string& what) {
    found.push_back({rule, facts.uuid + ": " + what});
  };
  int share = 0;
  int64_t memory = 0;
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
    if (job != nullptr && gpu.mode != GpuMode::kWhole && job->user.name != gpu.owner) {
      report("I4", "shared by two users");
    }
    share += grant->share;
    memory += grant->memory_mib;
  }
  if (memory > facts.memory_mib) report("I1", "memory granted beyond what is usable");
  if (share > kWholeShare) report("I2", "more than the whole compute granted");
  if (gpu.mode == GpuMode::kWhole && gpu.leases.size() > 1) report("I2", "whole GPU held twice");
  if (gpu.leases.empty() != (gpu.mode == GpuMode::kFree)) report("I4", "mode without leases");
  if (share != gpu.share_granted || memory != gpu.memory_granted_mib) report("I8", "sums are off");
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
  const bool expires = node.condition == NodeCondition::kLost && !node.leases_expired;
  if (expires != state.losses.contains({node.lost_at + state.policy.lease_end_time, node.id})) {
    found.push_back({"index", node.facts->name + ": index of losses is off"});
  }
  for (size_t i = 0; i < node.gpus.size(); ++i) CheckGpu(state, node, i, found);
  CheckNuma(state, node, found);
}

void CheckIndexesOf(const State& state, const Job& job, Violations& found) {
  const auto expect = [&](bool belongs, bool is_in, const char* index) {
    if (belongs == is_in) return;
    found.push_back({"index", ToText(job.id) + " (" + Name(job.state) + "): index of " + index + " is off"});
  };
  expect(job.state == JobState::kQueued, state.queued.contains(job.id), "queued jobs");
  const auto line = state.lines.find(LineOf(job));
  expect(job.state == JobState::kQueued, line != state.lines.end() && line->second.contains(KeyOf(job)), "lines");
  expect(job.state == JobState::kRetryWait, state.retries.contains({job.eligible_at, job.id}), "retries");
  const bool is_blocked = job.state == JobState::kBlocked;
  expect(is_blocked && ProspectOf(state, *job.spec) != Prospect::kOpen, state.decided.contains(job.id), "decided jobs");
  for (const Dependency& dependency : job.spec->after) expect(is_blocked, state.dependents.contains({dependency.job, job.id}), "dependents");
  expect(IsTerminal(job.state), state.finished.contains({job.ended_at, job.id}), "finished jobs");
  expect(!job.claimed.empty(), state.claimants.contains(job.id), "claimants");
  const auto yielding = state.yielding.find({job.pool, ClassOf(job.spec->priority)});
  expect(MayGiveWay(job), yielding != state.yielding.end() && yielding->second.contains(job.id), "yielding jobs");
  expect(IsBeingPreempted(job), state.preemptions.contains({job.preempted_for, job.id}), "preemptions");
  if (job.attempts.empty()) return;
  const Instant limit = job.attempts.back().placed_at + job.spec->time_limit;
  expect(RunsAgainstLimit(job), state.limits.contains({limit, job.id}), "time limits");
}

void CheckJob(const State& state, const Job& job, Violations& found) {
  const auto report = [&](const char* rule, const std::string& what) {
    found.push_back({rule, ToText(job.id) + " (" + Name(job.state) + "): " + what});
  };
  const size_t ranks = static_cast<size_t>(job.spec->nodes);
  if (HoldsLeases(job.state)) {
    if (job.leases.empty() || job.leases.size() > ranks) report("I5", "wrong number of leases");
    // Ranks may end one by one; a gang that lost one by a failure is being stopped.
    bool others_good = true;
    for (const RankRecord& rank : job.attempts.back().ranks) {
      const bool live = state.leases.contains(rank.lease);
      const bool good = rank.outcome.end == LeaseEnd::kExited && rank.outcome.exit_code == 0 &&
                        rank.outcome.signal == 0;
      if (!live && !good) others_good = false;
    }
    if (!others_good && job.stop == StopCause::kNone) report("I5", "part of the gang runs on alone");
  } else if (!job.leases.empty()) {
    report("I5", "holds leases");
  }
  for (const LeaseId id : job.leases) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr || lease->job != job.id || lease->attempt != job.attempt) {
      report("I6", ToText(id) + " is not of its current attempt");
    } else if (static_cast<int>(lease->gpus.size()) != job.spec->gpus.count) {
      report("I5", ToText(id) + " has not the GPUs asked");
    }
  }
  if (!job.claimed.empty() && job.state != JobState::kQueued) report("I5", "claims nodes without waiting for them");
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

void CheckShares(const State& state, Violations& found) {
  std::map<PoolClass, std::map<JobId, int64_t>> sums;
  for (const auto& [id, lease] : state.leases) {
    const Job& job = *state.FindJob(lease.job);
    const int64_t share = CountedShare(state, lease);
    if (share != 0) sums[{job.pool, ClassOf(job.spec->priority)}][job.id] += share;
  }
  if (sums != state.shares_by_class) found.push_back({"I8", "shares by class are off"});
}

void CheckAccounts(const State& state, Violations& found) {
  Holdings held = CountHoldings(state);
  for (const auto& [id, account] : state.accounts) {
    if (!state.queues.contains(id.queue)) found.push_back({"I8", "an account of no queue: " + id.queue});
    if (account.held != held[id]) found.push_back({"I8", "account " + id.queue + "/" + id.user + " is off"});
    if (account.faded_use < 0 || account.period_use < 0) found.push_back({"I8", "account " + id.queue + "/" + id.user + " has used less than nothing"});
    held.erase(id);
  }
  if (!held.empty()) found.push_back({"I8", "an account is missing: " + held.begin()->first.queue});
}

void CheckCapacity(const State& state, Violations& found) {
  std::map<std::string, int64_t> sums;
  std::map<std::string, std::map<int64_t, int64_t>> sizes;
  for (const Node& node : state.nodes) {
    sums[node.pool] += static_cast<int64_t>(node.gpus.size());
    for (const GpuFacts& gpu : node.facts->gpus) ++sizes[node.pool][gpu.memory_mib];
  }
  if (sizes != state.gpu_sizes) found.push_back({"I8", "sizes of GPUs are off"});
  std::erase_if(sums, [](const auto& sum) { return sum.second == 0; });
  if (sums != state.capacity) found.push_back({"I8", "capacities are off"});
}

// I9: a placement keeps the limits as they are now.
void CheckLimits(const State& state, const Job& job, Violations& found) {
  const auto check = [&](const AccountId& id, const Quota& limit) {
    const auto account = state.accounts.find(id);
    const Holding held = account == state.accounts.end() ? Holding{} : account->second.held;
    if ((limit.gpus && held.share > *limit.gpus * kWholeShare && HoldingOf(state, job).share > 0) || (limit.jobs && held.jobs > *limit.jobs)) {
      found.push_back({"I9", ToText(job.id) + " was placed beyond a limit of queue " + id.queue});
    }
  };
  for (const std::string& path : PathsTo(job.queue)) {
    const Queue& queue = state.queues.at(path);
    check({path, ""}, queue.limit);
    check({path, job.user.name}, queue.user_limit);
  }
}

// I10: on reserved nodes nobody but their own has a place while they last.
void CheckReservedNode(const State& state, const Reservation& reservation, const Node& node, Violations& found) {
  for (const LeaseId lease : node.leases) {
    const Job& job = *state.FindJob(state.FindLease(lease)->job);
    if (LatestEnd(job) <= (IsOf(reservation, job) ? reservation.ends_at : reservation.starts_at)) continue;
    found.push_back({"I10", ToText(job.id) + " may be on node " + node.facts->name + " while it is reserved for " + reservation.name});
  }
}

void CheckReserved(const State& state, const Reservation& reservation, Violations& found) {
  for (const NodeId id : reservation.nodes) {
    const Node& node = state.nodes[id.value];
    if (!node.reservations.contains(reservation.name)) found.push_back({"index", "node " + node.facts->name + " does not know reservation " + reservation.name});
    CheckReservedNode(state, reservation, node, found);
  }
}

void CheckReservations(const State& state, Violations& found) {
  size_t memberships = 0;
  for (const auto& [name, reservation] : state.reservations) {
    CheckReserved(state, reservation, found);
    if (!state.reservation_ends.contains({reservation.ends_at, name})) found.push_back({"index", "the end of reservation " + name + " is not kept"});
    memberships += reservation.nodes.size();
  }
  for (const Node& node : state.nodes) memberships -= node.reservations.size();
  if (memberships != 0) found.push_back({"index", "a node knows a reservation that is not there"});
}

// An index must hold nothing beside what each job and node was looked up for.
void CheckIndexSizes(const State& state, Violations& found) {
  std::set<std::pair<JobId, JobId>> dependencies;
  size_t queued = 0, retrying = 0, limited = 0, ending = 0, finished = 0, requested = 0, claiming = 0, yielding = 0, preempted = 0, lost = 0;
  for (const auto& [id, job] : state.jobs) {
    queued += job.state == JobState::kQueued ? 1 : 0;
    retrying += job.state == JobState::kRetryWait ? 1 : 0;
    for (const Dependency& dependency : job.spec->after) {
      if (job.state == JobState::kBlocked) dependencies.insert({dependency.job, id});
    }
    limited += RunsAgainstLimit(job) ? 1 : 0;
    ending += HasEnd(job) ? 1 : 0;
    finished += IsTerminal(job.state) ? 1 : 0;
    claiming += job.claimed.empty() ? 0 : 1;
    yielding += MayGiveWay(job) ? 1 : 0;
    preempted += IsBeingPreempted(job) ? 1 : 0;
    requested += job.request_id.empty() ? 0 : 1;
  }
  for (const Node& node : state.nodes) {
    lost += node.condition == NodeCondition::kLost && !node.leases_expired ? 1 : 0;
  }
  // `dependencies` is a set: one job may be named for two ends.
  const auto expect = [&](size_t wanted, size_t size, const char* index) {
    if (wanted != size) found.push_back({"index", std::string("index of ") + index + " holds strangers"});
  };
  expect(queued, state.queued.size(), "queued jobs");
  size_t in_lines = 0;
  for (const auto& [shape, line] : state.lines) {
    in_lines += line.size();
    if (line.empty()) found.push_back({"index", "an empty line is kept"});
  }
  expect(queued, in_lines, "lines");
  expect(retrying, state.retries.size(), "retries");
  expect(limited, state.limits.size(), "time limits");
  expect(dependencies.size(), state.dependents.size(), "dependents");
  expect(ending, static_cast<size_t>(state.limited), "jobs that end");
  expect(finished, state.finished.size(), "finished jobs");
  expect(claiming, state.claimants.size(), "claimants");
  size_t in_yielding = 0;
  for (const auto& [pool_class, jobs] : state.yielding) {
    in_yielding += jobs.size();
    if (jobs.empty()) found.push_back({"index", "an empty group of yielding jobs is kept"});
  }
  expect(yielding, in_yielding, "yielding jobs");
  expect(preempted, state.preemptions.size(), "preemptions");
  expect(requested, state.jobs_by_request.size(), "requests");
  expect(lost, state.losses.size(), "losses");
  expect(state.reservations.size(), state.reservation_ends.size(), "ends of reservations");
  expect(state.nodes.size(), state.nodes_by_name.size(), "names");
}

bool HasShape(const Node& node, size_t index) {
  return node.id.value == index && node.facts != nullptr && ValidateNodeFacts(*node.facts) &&
         node.gpus.size() == node.facts->gpus.size() && node.numa.size() == node.facts->numa.size();
}

bool HasQueues(const State& state, const Job& job) {
  return std::ranges::all_of(PathsTo(job.queue), [&](const std::string& path) {
    const auto queue = state.queues.find(path);
    return queue != state.queues.end() && queue->second.pool == job.pool;
  });
}

bool HasShape(const State& state, JobId id, const Job& job) {
  for (const NodeId node : job.claimed) {
    if (state.FindNode(node) == nullptr) return false;
  }
  if ((!IsTerminal(job.state) || !job.leases.empty()) && !HasQueues(state, job)) return false;
  if (job.id != id || job.spec == nullptr || (HoldsLeases(job.state) && job.attempts.empty())) return false;
  return std::ranges::all_of(job.attempts, [&](const AttemptRecord& attempt) {
    return std::ranges::all_of(attempt.ranks, [&](const RankRecord& rank) {
      return state.FindNode(rank.node) != nullptr;
    });
  });
}

bool HasShape(const State& state, LeaseId id, const Lease& lease) {
  const Job* job = state.FindJob(lease.job);
  const Node* node = state.FindNode(lease.node);
  if (lease.id != id || job == nullptr || node == nullptr || job->attempts.empty()) return false;
  const auto within = [](int value, size_t size) { return value >= 0 && static_cast<size_t>(value) < size; };
  return within(lease.rank, job->attempts.back().ranks.size()) &&
         std::ranges::all_of(lease.gpus, [&](const GpuGrant& g) { return within(g.gpu, node->gpus.size()); }) &&
         std::ranges::all_of(lease.numa, [&](const NumaGrant& g) { return within(g.numa, node->numa.size()); });
}

// What the other checks index by; where it is broken, they would read beside their vectors.
void CheckShape(const State& state, Violations& found) {
  for (size_t i = 0; i < state.nodes.size(); ++i) {
    if (!HasShape(state.nodes[i], i)) found.push_back({"shape", "node " + std::to_string(i)});
  }
  for (const auto& [id, job] : state.jobs) {
    if (!HasShape(state, id, job)) found.push_back({"shape", ToText(id)});
  }
  for (const auto& [id, lease] : state.leases) {
    if (!HasShape(state, id, lease)) found.push_back({"shape", ToText(id)});
  }
}

// I6: what was granted now was free to be granted, and still is so: a placement changes no condition.
void CheckNewGrants(const State& state, const GangPlaced& placed, Violations& found) {
  for (const Lease& lease : placed.leases) {
    const Node& node = *state.FindNode(lease.node);
    const auto grantable = [&](const GpuGrant& g) { return IsGrantable(node.gpus[static_cast<size_t>(g.gpu)]); };
    if (node.condition != NodeCondition::kUp || node.draining || !std::ranges::all_of(lease.gpus, grantable)) {
      found.push_back({"I6", ToText(lease.id) + " was granted where nothing may be granted"});
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

  void operator()(const GangPlaced& event) {
    touched.jobs.insert(event.job);
    for (const Lease& lease : event.leases) touched.nodes.insert(lease.node);
  }
  void operator()(const LeaseStarted& event) { TouchLease(event.lease); }
  void operator()(const ControllerStarted&) {}
  void operator()(const JobForgotten&) {}
  void operator()(const QueueChanged&) {}
  void operator()(const QueueDeleted&) {}
  void operator()(const NodesReserved& event) { touched.nodes.insert(event.reservation.nodes.begin(), event.reservation.nodes.end()); }
  void operator()(const ReservationEnded&) {}
  template <typename E>
    requires requires(const E& e) { e.node; }
  void operator()(const E& event) { touched.nodes.insert(event.node); }
  template <typename E>
    requires(requires(const E& e) { e.job; } && !requires(const E& e) { e.node; })
  void operator()(const E& event) { touched.jobs.insert(event.job); }

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
  for (const Node& node : state.nodes) CheckNode(state, node, found);
  for (const auto& [id, job] : state.jobs) CheckJob(state, job, found);
  for (const auto& [id, lease] : state.leases) CheckLease(state, lease, found);
  CheckShares(state, found);
  CheckAccounts(state, found);
  CheckCapacity(state, found);
  CheckReservations(state, found);
  CheckIndexSizes(state, found);
  return found;
}

std::vector<Violation> CheckDelta(const State& state, const std::vector<Event>& events) {
  Touched touched;
  for (const Event& event : events) std::visit(TouchedBy{state, touched}, event);
  Violations found;
  for (const Event& event : events) {
    const auto* placed = std::get_if<GangPlaced>(&event);
    if (const auto* reserved = std::get_if<NodesReserved>(&event)) CheckReserved(state, reserved->reservation, found);
    if (placed == nullptr) continue;
    for (const Lease& lease : placed->leases) {
      const Node& node = state.nodes[lease.node.value];
      for (const Reservation* reservation : ReservationsOf(state, node)) CheckReservedNode(state, *reservation, node, found);
    }
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
