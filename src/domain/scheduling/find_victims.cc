#include "domain/scheduling/find_victims.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
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

// Victims of one node of which all sets are compared; of more, some set that is enough.
constexpr size_t kExactVictims = 8;

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

// Those on one node whose place the job may take.
struct OnNode {
  NodeId node;
  std::span<Standing> candidates;
};

// Who goes first: the lowest class, the highest level, who has had most, the last submitted.
auto VictimOrder(const Standing& victim, Instant at) {
  return std::tuple(victim.job_class, -victim.level, -AttainedGpuMs(*victim.job, at), -static_cast<int64_t>(victim.job->id.value));
}

// Some of those on one node.
struct VictimSet {
  RoomCost cost;
  int order = 0;           // less: those who go first
  uint32_t members = 0;    // of OnNode::candidates
  int64_t gpus_here = 0;
};

class Search {
 public:
  Search(const State& state, const ScratchNodes& nodes, const Interruptible& interruptible, const Job& job)
      : state_(state), nodes_(nodes), at_(interruptible.at()), takings_(interruptible.takings()), job_(job), by_(StandingOf(job, at_)) {}

  // What room there costs at least; nullopt: there cannot be enough.
  std::optional<RoomCost> LeastCost(const OnNode& on) const {
    const int64_t missing = job_.spec->gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
    if (missing <= 0) return RoomCost{-1, 0, 0, on.node};  // whom it must do without may be somewhere else
    int64_t gpus = 0;
    for (const Standing& victim : on.candidates) gpus += victim.job->spec->gpus.count;
    if (gpus < missing) return std::nullopt;
    return RoomCost{std::ranges::min(on.candidates, {}, &Standing::job_class).job_class, missing, 1, on.node};
  }

  // The cheapest room there; nullopt: there is none, not even without all of them.
  std::optional<Room> MakeRoom(const OnNode& on) {
    std::ranges::sort(on.candidates, {}, [this](const Standing& victim) { return VictimOrder(victim, at_); });
    return on.candidates.size() <= kExactVictims ? MakeCheapestRoom(on) : MakeSomeRoom(on);
  }

  // Leaves out whoever can be spared on all of the nodes, the most precious first.
  void Spare(std::vector<const Job*>& victims, const std::vector<NodeId>& on) {
    for (size_t i = victims.size(); i-- > 0;) {
      std::vector<const Job*> others = victims;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const bool enough = std::ranges::all_of(on, [&](NodeId id) { return ChooseWithout(others, id).has_value(); });
      if (enough) victims = std::move(others);
    }
  }

  // The rooms as one set: each victim once, and nobody who can be spared.
  std::optional<Victims> Gather(const std::vector<Room>& rooms) {
    Victims found;
    std::vector<const Job*> victims;
    for (const Room& room : rooms) {
      found.nodes.push_back(room.node);
      for (const Job* victim : room.victims) {
        if (!std::ranges::count(victims, victim)) victims.push_back(victim);
      }
    }
    Spare(victims, found.nodes);
    if (!MayTakeAll(victims)) return std::nullopt;
    for (const Job* victim : victims) found.jobs.push_back(victim->id);
    std::ranges::sort(found.jobs);
    std::ranges::sort(found.nodes);
    return found;
  }

 private:
  // Whether all may be taken together, for a gang from several nodes.
  bool MayTakeAll(const std::vector<const Job*>& victims) const {
    Takings takings = takings_;
    return std::ranges::all_of(victims, [&](const Job* victim) {
      const bool may = takings.MayTake(by_, StandingOf(*victim, at_));
      takings.Take(job_, *victim);
      return may;
    });
  }

  // Every set of victims, the cheapest first; of equal ones, those who go first.
  std::optional<Room> MakeCheapestRoom(const OnNode& on) {
    const int64_t missing = job_.spec->gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
    std::array<VictimSet, 1U << kExactVictims> sets;
    std::vector<const VictimSet*> enough;
    sets[0] = {{-1, 0, 0, on.node}, 0, 0, 0};
    for (uint32_t members = 0; members < 1U << on.candidates.size(); ++members) {
      if (members != 0) {
        const int first = std::countr_zero(members);
        sets[members] = Joined(sets[members & (members - 1)], on.candidates[static_cast<size_t>(first)], first);
      }
      if (sets[members].gpus_here >= missing) enough.push_back(&sets[members]);
    }
    const auto dearer = [](const VictimSet* a, const VictimSet* b) { return std::tie(a->cost, a->order) > std::tie(b->cost, b->order); };
    std::ranges::make_heap(enough, dearer);
    for (; !enough.empty(); enough.pop_back()) {
      std::ranges::pop_heap(enough, dearer);
      Room room = RoomOf(on, enough.back()->members);
      if (MayTakeAll(room.victims) && FitsIn(room)) return room;
    }
    return std::nullopt;
  }

  static VictimSet Joined(const VictimSet& set, const Standing& victim, int index) {
    auto [highest_class, gpus, jobs, node] = set.cost;
    return {{std::max(highest_class, victim.job_class), gpus + GpusOf(*victim.job), jobs + 1, node},
            set.order - (1 << (static_cast<int>(kExactVictims) - index)),
            set.members | 1U << index,
            set.gpus_here + victim.job->spec->gpus.count};
  }

  static Room RoomOf(const OnNode& on, uint32_t set) {
    Room room{on.node, {}, ""};
    for (; set != 0; set &= set - 1) room.victims.push_back(on.candidates[static_cast<size_t>(std::countr_zero(set))].job);
    return room;
  }

  // Victims in order until the job fits, without those who can be spared.
  std::optional<Room> MakeSomeRoom(const OnNode& on) {
    Room room{on.node, {}, ""};
    bool fits = FitsIn(room);
    Takings takings = takings_;
    for (auto next = on.candidates.begin(); !fits && next != on.candidates.end(); ++next) {
      if (!takings.MayTake(by_, *next)) continue;  // its queue would fall below its guarantee
      takings.Take(job_, *next->job);
      room.victims.push_back(next->job);
      fits = FitsIn(room);
    }
    if (!fits) return std::nullopt;
    Spare(room.victims, {on.node});
    return room;
  }

  // Whether the room is enough; then it has its trait.
  bool FitsIn(Room& room) {
    const auto choice = ChooseWithout(room.victims, room.node);
    if (choice) room.trait = CommonTrait(*job_.spec, scratch_, *choice);
    return choice.has_value();
  }

  std::optional<NodeChoice> ChooseWithout(const std::vector<const Job*>& victims, NodeId id) {
    scratch_ = nodes_.Of(id);
    for (const Job* victim : victims) TakeAway(state_, *victim, scratch_);
    return ChooseGpus(scratch_, job_);
  }

  const State& state_;
  const ScratchNodes& nodes_;
  const Instant at_;
  const Takings& takings_;
  const Job& job_;
  const Standing by_;
  Node scratch_;  // one for all: what it has allocated is used again
};

// The victims, each as often as it holds nodes, side by side for each node.
class ByNode {
 public:
  ByNode(const State& state, const std::vector<Standing>& victims) : begins_(state.nodes.size() + 1, 0) {
    for (const Standing& victim : victims) {
      ForEachNode(state, *victim.job, [&](NodeId node) { ++begins_[node.value + 1]; });
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    standings_.resize(begins_.back());
    std::vector<size_t> ends = begins_;
    for (const Standing& victim : victims) {
      ForEachNode(state, *victim.job, [&](NodeId node) { standings_[ends[node.value]++] = victim; });
    }
  }

  // For a gang also the nodes without any, where it may fit as it is.
  std::vector<OnNode> Open(const std::set<NodeId>& reserved, bool is_gang) {
    std::vector<OnNode> open;
    for (uint32_t i = 0; i + 1 < begins_.size(); ++i) {
      const std::span<Standing> candidates(standings_.data() + begins_[i], begins_[i + 1] - begins_[i]);
      if ((is_gang || !candidates.empty()) && !reserved.contains(NodeId{i})) open.push_back({NodeId{i}, candidates});
    }
    return open;
  }

 private:
  template <typename F>
  static void ForEachNode(const State& state, const Job& job, const F& visit) {
    const std::vector<RankRecord>& ranks = job.attempts.back().ranks;
    if (job.leases.size() == ranks.size()) {
      for (const RankRecord& rank : ranks) visit(rank.node);
    } else {
      for (const LeaseId id : job.leases) visit(state.FindLease(id)->node);
    }
  }

  std::vector<size_t> begins_;  // by node, and the end
  std::vector<Standing> standings_;
};

}  // namespace

Interruptible::Interruptible(const State& state, Instant at) : state_(state), at_(at), takings_(state, at) {}

const std::vector<Standing>& Interruptible::Group(const PoolClass& pool_class) {
  const auto [group, is_new] = groups_.try_emplace(pool_class);
  const auto yielding = state_.yielding.find(pool_class);
  if (!is_new || yielding == state_.yielding.end()) return group->second;
  for (const JobId id : yielding->second) group->second.push_back(StandingOf(*state_.FindJob(id), at_));
  return group->second;
}

const Interruptible::Takeable& Interruptible::For(const Job& job) {
  const Standing by = StandingOf(job, at_);
  const auto [known, is_new] = known_.try_emplace({by.job_class, by.level, job.spec->preemptible, job.queue, job.pool});
  if (is_new || takings_.any_guarantees()) known->second = WorkOut(job);
  return known->second;
}

Interruptible::Takeable Interruptible::WorkOut(const Job& job) {
  Takeable takeable;
  const auto consider = [&](Instant at) {
    if (at > at_ && (takeable.next.ns == 0 || at < takeable.next)) takeable.next = at;
  };
  const Standing by = StandingOf(job, at_);
  const auto look_at = [&](const Standing& candidate) {
    if (job.spec->preemptible && candidate.job->queue == job.queue) consider(at_ + kLookAgain);
    const TakingGround ground = takings_.GroundFor(by, candidate);
    if (ground == TakingGround::kNone) return;
    if (takings_.IsRipe(job, *candidate.job, ground)) takeable.victims.push_back(candidate);
    consider(candidate.job->attempts.back().placed_at + state_.policy.min_run);
    if (ground == TakingGround::kReclaim) consider(job.queued_at + state_.policy.reclaim_grace);
  };
  for (int job_class = 0; job_class < kClasses; ++job_class) {
    const bool may = job_class < by.job_class || (job_class == by.job_class && job.spec->preemptible) || takings_.any_guarantees();
    if (may) std::ranges::for_each(Group({job.pool, job_class}), look_at);
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
  for (auto& [pool_class, group] : groups_) {
    std::erase_if(group, [victim](const Standing& candidate) { return candidate.job->id == victim; });
  }
}

std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job) {
  Search search(state, nodes, interruptible, job);
  const auto wanted = static_cast<size_t>(job.spec->nodes);
  std::vector<std::pair<RoomCost, const OnNode*>> promising;
  const std::vector<Standing>& victims = interruptible.For(job).victims;
  if (victims.empty()) return std::nullopt;
  ByNode by_node(state, victims);
  const std::vector<OnNode> open = by_node.Open(reserved, job.spec->nodes > 1);
  for (const OnNode& one : open) {
    if (const auto least = search.LeastCost(one)) promising.emplace_back(*least, &one);
  }
  std::ranges::sort(promising, {}, [](const auto& one) { return one.first; });
  // Cheapest first, until what is left cannot be cheaper than what a whole gang has found.
  std::map<std::string, std::vector<Room>> by_trait;
  std::vector<Room>* best = nullptr;
  for (const auto& [least, one] : promising) {
    if (best != nullptr && (*best)[wanted - 1].Cost() < least) break;
    auto room = search.MakeRoom(*one);
    if (!room) continue;
    std::vector<Room>& alike = by_trait[room->trait];
    alike.push_back(*std::move(room));
    std::ranges::inplace_merge(alike, alike.end() - 1, {}, &Room::Cost);
    if (alike.size() < wanted) continue;
    if (best == nullptr || alike[wanted - 1].Cost() < (*best)[wanted - 1].Cost()) best = &alike;
  }
  if (best == nullptr) return std::nullopt;
  return search.Gather({best->begin(), best->begin() + static_cast<std::ptrdiff_t>(wanted)});
}

}  // namespace gp
