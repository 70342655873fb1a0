#include "domain/scheduling/find_victims.h"

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string>
#include <tuple>

#include "domain/cluster/grants.h"
#include "domain/cluster/preemption.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

// Service levels grow with time alone: to be looked at again after so long.
constexpr Duration kLookAgain = Duration::Minutes(1);

int64_t GpusOf(const Job& job) { return int64_t{job.spec->nodes} * job.spec->gpus.count; }

void TakeAway(const State& state, const Job& victim, Node& node) {
  for (const LeaseId id : victim.leases) {
    const Lease& lease = *state.FindLease(id);
    if (lease.node == node.id) ReleaseGrants(node, lease);
  }
}

// The highest class and the GPUs of those who must go, how many they are, and on which node.
using RoomCost = std::tuple<int, int64_t, size_t, NodeId>;

// One node with room made on it.
struct Room {
  NodeId node;
  std::vector<const Job*> victims;
  std::string trait;

  RoomCost Cost() const {
    int highest_class = -1;
    int64_t gpus = 0;
    for (const Job* victim : victims) {
      highest_class = std::max(highest_class, ClassOf(victim->spec->priority));
      gpus += GpusOf(*victim);
    }
    return {highest_class, gpus, victims.size(), node};
  }
};

class Search {
 public:
  Search(const State& state, const ScratchNodes& nodes, const Interruptible& interruptible, const Job& job)
      : state_(state), nodes_(nodes), at_(interruptible.at()), takings_(interruptible.takings()), job_(job), by_(StandingOf(job, at_)) {}

  // Victims in order until the job fits; nullopt: not even without all of them, or not for less than
  // `dearest`.
  std::optional<Room> MakeRoom(NodeId id, std::span<const Standing> candidates, const std::optional<RoomCost>& dearest) {
    const Node& now = nodes_.Of(id);
    const int64_t eligible = std::popcount(EligibleGpus(now, job_));
    const int64_t missing = std::max<int64_t>(job_.spec->gpus.count - eligible, 0);
    int64_t gpus = 0;
    for (const Standing& victim : candidates) gpus += victim.job->spec->gpus.count;
    if (gpus < missing) return std::nullopt;
    if (dearest && !candidates.empty() && *dearest < RoomCost{candidates.front().job_class, missing, 1, id}) return std::nullopt;
    scratch_ = now;
    Room room{id, {}, ""};
    auto choice = Choose(scratch_);
    Takings takings = takings_;
    for (auto next = candidates.begin(); !choice && next != candidates.end(); ++next) {
      if (!takings.MayTake(by_, *next)) continue;  // its queue would fall below its guarantee
      takings.Take(job_, *next->job);
      TakeAway(state_, *next->job, scratch_);
      room.victims.push_back(next->job);
      choice = Choose(scratch_);
    }
    if (!choice) return std::nullopt;
    room.trait = CommonTrait(*job_.spec, scratch_, *choice);
    return room;
  }

  // Leaves out whoever can be spared on all of the nodes, the most precious first.
  void Spare(std::vector<const Job*>& victims, const std::vector<NodeId>& on) {
    for (size_t i = victims.size(); i-- > 0;) {
      std::vector<const Job*> others = victims;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const bool enough = std::ranges::all_of(on, [&](NodeId id) { return FitsWithout(others, id); });
      if (enough) victims = std::move(others);
    }
  }

  // Whether all may be taken together, for a gang from several nodes.
  bool MayTakeAll(const std::vector<const Job*>& victims) const {
    Takings takings = takings_;
    return std::ranges::all_of(victims, [&](const Job* victim) {
      const bool may = takings.MayTake(by_, StandingOf(*victim, at_));
      takings.Take(job_, *victim);
      return may;
    });
  }

 private:
  std::optional<NodeChoice> Choose(const Node& node) const { return ChooseGpus(node, job_); }

  bool FitsWithout(const std::vector<const Job*>& victims, NodeId id) {
    scratch_ = nodes_.Of(id);
    for (const Job* victim : victims) TakeAway(state_, *victim, scratch_);
    return Choose(scratch_).has_value();
  }

  const State& state_;
  const ScratchNodes& nodes_;
  const Instant at_;
  const Takings& takings_;
  const Job& job_;
  const Standing by_;
  Node scratch_;  // one for all: what it has allocated is used again
};

// Those on one node whose place the job may take, in order.
struct OnNode {
  NodeId node;
  std::vector<Standing> candidates;
};

// For a gang also the nodes without any, where it may fit as it is.
std::vector<OnNode> ByNode(const State& state, const std::vector<Standing>& victims, const std::set<NodeId>& reserved,
                           const Job& job) {
  std::vector<std::pair<NodeId, Standing>> all;
  for (const Standing& candidate : victims) {
    for (const LeaseId id : candidate.job->leases) all.emplace_back(state.FindLease(id)->node, candidate);
  }
  std::ranges::stable_sort(all, {}, [](const auto& one) { return one.first; });
  std::vector<OnNode> by_node;
  const auto add = [&](NodeId node) {
    if (!reserved.contains(node)) by_node.push_back({node, {}});
  };
  size_t next = 0;
  const auto take = [&](NodeId node) {
    for (; next < all.size() && all[next].first == node; ++next) {
      if (!by_node.empty() && by_node.back().node == node) by_node.back().candidates.push_back(all[next].second);
    }
  };
  if (job.spec->nodes > 1 && !all.empty()) {
    for (const Node& node : state.nodes) {
      add(node.id);
      take(node.id);
    }
  }
  while (next < all.size()) {
    const NodeId node = all[next].first;
    add(node);
    take(node);
  }
  return by_node;
}

}  // namespace

Interruptible::Interruptible(const State& state, Instant at) : state_(state), at_(at), takings_(state, at) {
  struct Ordered {
    std::tuple<int, int, int64_t, int64_t> order;
    Standing standing;
  };
  std::vector<Ordered> all;
  for (const JobId id : state.yielding) {
    const Job& job = *state.FindJob(id);
    const Standing standing = StandingOf(job, at);
    all.push_back({{standing.job_class, -standing.level, -AttainedGpuMs(job, at), -static_cast<int64_t>(id.value)}, standing});
  }
  std::ranges::sort(all, {}, &Ordered::order);
  for (const Ordered& one : all) candidates_.push_back(one.standing);
}

const Interruptible::Takeable& Interruptible::For(const Job& job) {
  const Standing by = StandingOf(job, at_);
  const auto [known, is_new] = known_.try_emplace({by.job_class, by.level, job.spec->preemptible, job.queue, job.pool});
  if (is_new || takings_.any_guarantees()) known->second = WorkOut(job);
  return known->second;
}

Interruptible::Takeable Interruptible::WorkOut(const Job& job) const {
  Takeable takeable;
  const auto consider = [&](Instant at) {
    if (at > at_ && (takeable.next.ns == 0 || at < takeable.next)) takeable.next = at;
  };
  const Standing by = StandingOf(job, at_);
  for (const Standing& candidate : candidates_) {
    if (job.spec->preemptible && candidate.job->queue == job.queue) consider(at_ + kLookAgain);
    const TakingGround ground = takings_.GroundFor(by, candidate);
    if (ground == TakingGround::kNone) continue;
    if (takings_.IsRipe(job, *candidate.job, ground)) takeable.victims.push_back(candidate);
    consider(candidate.job->attempts.back().placed_at + state_.policy.min_run);
    if (ground == TakingGround::kReclaim) consider(job.queued_at + state_.policy.reclaim_grace);
  }
  return takeable;
}

void Interruptible::CountPlaced(const Job& job) {
  takings_.CountPlaced(job);
  if (takings_.any_guarantees()) known_.clear();
}

void Interruptible::Take(const Job& by, JobId victim) {
  takings_.Take(by, *state_.FindJob(victim));
  known_.clear();
  std::erase_if(candidates_, [victim](const Standing& candidate) { return candidate.job->id == victim; });
}

std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job) {
  Search search(state, nodes, interruptible, job);
  std::vector<Room> rooms;
  std::optional<RoomCost> cheapest;
  for (const auto& [node, candidates] : ByNode(state, interruptible.For(job).victims, reserved, job)) {
    auto room = search.MakeRoom(node, candidates, cheapest);
    if (!room) continue;
    search.Spare(room->victims, {node});
    // A single node is all that is wanted: dearer ones need not be looked at.
    if (job.spec->nodes == 1 && (!cheapest || room->Cost() < *cheapest)) cheapest = room->Cost();
    rooms.push_back(*std::move(room));
  }
  std::ranges::sort(rooms, {}, &Room::Cost);
  std::map<std::string, std::vector<const Room*>> by_trait;
  for (const Room& room : rooms) {
    std::vector<const Room*>& alike = by_trait[room.trait];
    alike.push_back(&room);
    if (static_cast<int>(alike.size()) < job.spec->nodes) continue;
    Victims found;
    std::vector<const Job*> victims;
    for (const Room* one : alike) {
      found.nodes.push_back(one->node);
      for (const Job* victim : one->victims) {
        if (!std::ranges::count(victims, victim)) victims.push_back(victim);
      }
    }
    search.Spare(victims, found.nodes);
    if (!search.MayTakeAll(victims)) return std::nullopt;
    for (const Job* victim : victims) found.jobs.push_back(victim->id);
    std::ranges::sort(found.jobs);
    std::ranges::sort(found.nodes);
    return found;
  }
  return std::nullopt;
}

}  // namespace gp
