#include "domain/scheduling/find_victims.h"

#include <algorithm>
#include <bit>
#include <map>
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

// One node with room made on it.
struct Room {
  NodeId node;
  std::vector<const Job*> victims;
  std::string trait;

  auto Cost() const {
    int highest_class = -1;
    int64_t gpus = 0;
    for (const Job* victim : victims) {
      highest_class = std::max(highest_class, ClassOf(victim->spec->priority));
      gpus += GpusOf(*victim);
    }
    return std::tuple(highest_class, gpus, victims.size(), node);
  }
};

class Search {
 public:
  Search(const State& state, const ScratchNodes& nodes, const Takings& takings, const Job& job)
      : state_(state), nodes_(nodes), takings_(takings), job_(job) {}

  // Victims in order until the job fits; nullopt: not even without all of them.
  std::optional<Room> MakeRoom(NodeId id, const std::vector<const Job*>& candidates) const {
    const Node& now = nodes_.Of(id);
    int64_t gpus = std::popcount(EligibleGpus(now, job_));
    for (const Job* victim : candidates) gpus += victim->spec->gpus.count;
    if (gpus < job_.spec->gpus.count) return std::nullopt;
    Node node = now;
    Room room{id, {}, ""};
    auto choice = Choose(node);
    Takings takings = takings_;
    for (auto next = candidates.begin(); !choice && next != candidates.end(); ++next) {
      if (!takings.MayTake(job_, **next)) continue;  // its queue would fall below its guarantee
      takings.Take(job_, **next);
      TakeAway(state_, **next, node);
      room.victims.push_back(*next);
      choice = Choose(node);
    }
    if (!choice) return std::nullopt;
    room.trait = CommonTrait(*job_.spec, node, *choice);
    return room;
  }

  // Leaves out whoever can be spared on all of the nodes, the most precious first.
  void Spare(std::vector<const Job*>& victims, const std::vector<NodeId>& on) const {
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
      const bool may = takings.MayTake(job_, *victim);
      takings.Take(job_, *victim);
      return may;
    });
  }

 private:
  std::optional<NodeChoice> Choose(const Node& node) const { return ChooseGpus(node, job_); }

  bool FitsWithout(const std::vector<const Job*>& victims, NodeId id) const {
    Node node = nodes_.Of(id);
    for (const Job* victim : victims) TakeAway(state_, *victim, node);
    return Choose(node).has_value();
  }

  const State& state_;
  const ScratchNodes& nodes_;
  const Takings& takings_;
  const Job& job_;
};

// Those on each node whose place the job may take; for a gang also the nodes without any, where it may fit as it is.
std::map<NodeId, std::vector<const Job*>> ByNode(const State& state, const Interruptible& interruptible,
                                                 const std::set<NodeId>& reserved, const Job& job) {
  std::map<NodeId, std::vector<const Job*>> by_node;
  for (const Job* candidate : interruptible.in_order()) {
    if (!interruptible.takings().MayTake(job, *candidate)) continue;
    for (const LeaseId id : candidate->leases) by_node[state.FindLease(id)->node].push_back(candidate);
  }
  if (job.spec->nodes > 1 && !by_node.empty()) {
    for (const Node& node : state.nodes) by_node.try_emplace(node.id);
  }
  std::erase_if(by_node, [&](const auto& one) { return reserved.contains(one.first); });
  return by_node;
}

}  // namespace

Interruptible::Interruptible(const State& state, Instant at) : state_(state), at_(at), takings_(state, at) {
  for (const JobId id : state.yielding) candidates_.push_back(state.FindJob(id));
  std::ranges::sort(candidates_, {}, [at](const Job* job) {
    return std::tuple(ClassOf(job->spec->priority), -ServiceLevel(*job, at), -AttainedGpuMs(*job, at), -static_cast<int64_t>(job->id.value));
  });
}

bool Interruptible::AnyFor(const Job& job) const {
  return std::ranges::any_of(candidates_, [&](const Job* candidate) { return takings_.MayTake(job, *candidate); });
}

Instant Interruptible::NextFor(const Job& job) const {
  Instant next;
  const auto consider = [&next](Instant at) {
    if (next.ns == 0 || at < next) next = at;
  };
  for (const Job* candidate : candidates_) {
    const TakingGround ground = takings_.GroundFor(job, *candidate);
    const Instant ripe_at = candidate->attempts.back().placed_at + state_.policy.min_run;
    if (ground != TakingGround::kNone && ripe_at > at_) consider(ripe_at);
    if (ground == TakingGround::kReclaim && job.queued_at + state_.policy.reclaim_grace > at_) consider(job.queued_at + state_.policy.reclaim_grace);
    if (job.spec->preemptible && candidate->queue == job.queue) consider(at_ + kLookAgain);
  }
  return next;
}

void Interruptible::Take(const Job& by, JobId victim) {
  takings_.Take(by, *state_.FindJob(victim));
  std::erase_if(candidates_, [victim](const Job* candidate) { return candidate->id == victim; });
}

std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, const Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job) {
  const Search search(state, nodes, interruptible.takings(), job);
  std::vector<Room> rooms;
  for (const auto& [node, candidates] : ByNode(state, interruptible, reserved, job)) {
    auto room = search.MakeRoom(node, candidates);
    if (!room) continue;
    search.Spare(room->victims, {node});
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
