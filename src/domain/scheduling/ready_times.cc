#include "domain/scheduling/ready_times.h"

#include <algorithm>
#include <bit>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "domain/cluster/quotas/grants.h"
#include "domain/cluster/reservations.h"
#include "domain/placement/choose_gpus.h"

namespace gp {
namespace {

// The latest end of each lease on the node, and of each one planned there in this pass.
std::vector<std::pair<Instant, Lease>> EndsOn(const State& state, Instant at,
                                              const ScratchNodes& nodes, NodeId id) {
  std::vector<std::pair<Instant, Lease>> ends;
  for (const LeaseId lease : state.FindNode(id)->leases) {
    ends.push_back(
        {LatestEnd(*state.FindJob(state.FindLease(lease)->job)), *state.FindLease(lease)});
  }
  for (const ScratchNodes::Planned& planned : nodes.PlannedOn(id)) {
    ends.push_back({EndOfStay(at, *planned.job->spec), planned.lease});
  }
  std::ranges::stable_sort(ends, {}, [](const auto& end) { return end.first; });
  return ends;
}

// Whether the advance reservations of the node permit the job to start there at that time.
bool IsOpen(const State& state, NodeId id, const Job& job, Instant from) {
  return std::ranges::all_of(ReservationsOf(state, *state.FindNode(id)),
                             [&](const Reservation* one) { return Permits(*one, job, from); });
}

Instant ReadyAt(const State& state, Instant at, const ScratchNodes& nodes, NodeId id,
                const Job& job) {
  Node node = nodes.Of(id);
  if (Fits(node, job)) return at;
  const auto ends = EndsOn(state, at, nodes, id);
  for (size_t i = 0; i < ends.size() && ends[i].first != kNever; ++i) {
    ReleaseGrants(node, ends[i].second);
    const bool more_at_once = i + 1 < ends.size() && ends[i + 1].first == ends[i].first;
    if (!more_at_once && Fits(node, job)) return std::max(at, ends[i].first);
  }
  return kNever;
}

}  // namespace

bool ReadyTimes::CanPredict(const JobSpec& spec) {
  return spec.resources.gpus.count > 0 && ModeFor(spec.resources.gpus) == GpuMode::kWhole;
}

void ReadyTimes::Forget(NodeId changed) {
  if (changed.value < ends_.size()) ends_[changed.value].reset();
}

const std::vector<Instant>& ReadyTimes::EndsOf(const State& state, NodeId id) {
  if (id.value >= ends_.size()) ends_.resize(state.nodes.all.size());
  std::optional<std::vector<Instant>>& known = ends_[id.value];
  if (known) return *known;
  const Node& node = *state.FindNode(id);
  std::map<int, Instant> by_gpu;
  for (const LeaseId lease_id : node.leases) {
    const Lease& lease = *state.FindLease(lease_id);
    const Instant end = LatestEnd(*state.FindJob(lease.job));
    for (const GpuGrant& grant : lease.gpus) by_gpu[grant.gpu] = std::max(by_gpu[grant.gpu], end);
  }
  known.emplace();
  for (const auto& [gpu, end] : by_gpu) known->push_back(end);
  std::ranges::sort(*known);
  return *known;
}

// A lower bound: enough GPUs are free by number, wherever they are.
Instant ReadyTimes::Earliest(const State& state, Instant at, const ScratchNodes& nodes, NodeId id,
                             const Job& job) {
  const int missing =
      job.spec->resources.gpus.count - std::popcount(EligibleGpus(nodes.Of(id), job));
  if (missing <= 0 || !nodes.PlannedOn(id).empty()) return at;
  const std::vector<Instant>& ends = EndsOf(state, id);
  const auto last = static_cast<size_t>(missing) - 1;
  return last < ends.size() ? std::max(at, ends[last]) : kNever;
}

std::optional<ReadyTimes::Ready> ReadyTimes::FindAmong(const State& state, Instant at,
                                                       const ScratchNodes& nodes,
                                                       const std::vector<NodeId>& able,
                                                       const Job& job) {
  // Best first by the lower bounds: the exact time of a node is computed only if it may be chosen.
  using Entry = std::tuple<Instant, int, NodeId, bool>;
  std::vector<Entry> entries;
  for (const NodeId id : able) {
    const Instant earliest = Earliest(state, at, nodes, id, job);
    if (earliest != kNever)
      entries.push_back({earliest, -std::popcount(FreeGpus(nodes.Of(id))), id, false});
  }
  std::priority_queue open(std::greater<>(), std::move(entries));
  Ready ready;
  while (!open.empty()) {
    const auto [time, emptiness, id, is_exact] = open.top();
    open.pop();
    if (!is_exact) {
      const Instant exact = ReadyAt(state, at, nodes, id, job);
      if (exact != kNever && IsOpen(state, id, job, exact)) open.push({exact, emptiness, id, true});
      continue;
    }
    ready.nodes.push_back(id);
    ready.at = time;
    if (static_cast<int>(ready.nodes.size()) < job.spec->resources.nodes) continue;
    // The ranks start together: a node that is ready early may be in an advance reservation by
    // then.
    std::erase_if(ready.nodes, [&](NodeId one) { return !IsOpen(state, one, job, time); });
    if (static_cast<int>(ready.nodes.size()) == job.spec->resources.nodes) return ready;
  }
  return std::nullopt;
}

std::optional<ReadyTimes::Ready> ReadyTimes::Find(const State& state, Instant at,
                                                  const ScratchNodes& nodes,
                                                  const NodesByTrait& able, const Job& job) {
  if (!CanPredict(*job.spec)) return std::nullopt;
  std::optional<Ready> best;
  for (const auto& [trait, ids] : able) {
    auto ready = FindAmong(state, at, nodes, ids, job);
    if (ready && (!best || ready->at < best->at)) best = std::move(ready);
  }
  return best;
}

}  // namespace gp
