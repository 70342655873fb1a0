#include "domain/scheduling/room.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <numeric>
#include <utility>

#include "domain/cluster/grants.h"
#include "domain/placement/place_gang.h"

namespace gp {
namespace {

// Candidates of one node of which all sets are compared; of more, some set that is enough.
constexpr size_t kExactCandidates = 8;

int64_t GpusOf(const Job& job) { return int64_t{job.spec->nodes} * job.spec->gpus.count; }

void TakeAway(const State& state, const Job& job, Node& node) {
  for (const LeaseId id : job.leases) {
    const Lease& lease = *state.FindLease(id);
    if (lease.node == node.id) ReleaseGrants(node, lease);
  }
}

// Who goes first: the lowest class, the highest level, who has had most, the last submitted.
auto OrderOf(const Standing& candidate, Instant at) {
  return std::tuple(candidate.job_class, -candidate.level, -AttainedGpuMs(*candidate.job, at), -static_cast<int64_t>(candidate.job->id.value));
}

// Some of those on one node.
struct LeavingSet {
  RoomCost cost;
  int order = 0;           // less: those who go first
  uint32_t members = 0;    // of OnNode::candidates
  int64_t gpus_here = 0;
};

LeavingSet Joined(const LeavingSet& set, const Standing& candidate, int index) {
  auto [highest_class, gpus, jobs, node] = set.cost;
  return {{std::max(highest_class, candidate.job_class), gpus + GpusOf(*candidate.job), jobs + 1, node},
          set.order - (1 << (static_cast<int>(kExactCandidates) - index)),
          set.members | 1U << index,
          set.gpus_here + candidate.job->spec->gpus.count};
}

Room RoomOf(const OnNode& on, uint32_t set) {
  Room room{on.node, {}, ""};
  for (; set != 0; set &= set - 1) room.leaving.push_back(on.candidates[static_cast<size_t>(std::countr_zero(set))].job);
  return room;
}

template <typename F>
void ForEachNode(const State& state, const Job& job, const F& visit) {
  const std::vector<RankRecord>& ranks = job.attempts.back().ranks;
  if (job.leases.size() == ranks.size()) {
    for (const RankRecord& rank : ranks) visit(rank.node);
  } else {
    for (const LeaseId id : job.leases) visit(state.FindLease(id)->node);
  }
}

}  // namespace

RoomCost Room::Cost() const {
  int highest_class = -1;
  int64_t gpus = 0;
  for (const Job* job : leaving) {
    highest_class = std::max(highest_class, ClassOf(job->spec->priority));
    gpus += GpusOf(*job);
  }
  return {highest_class, gpus, leaving.size(), node};
}

ByNode::ByNode(const State& state, const std::vector<Standing>& candidates) : begins_(state.nodes.size() + 1, 0) {
  for (const Standing& candidate : candidates) {
    ForEachNode(state, *candidate.job, [&](NodeId node) { ++begins_[node.value + 1]; });
  }
  std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  standings_.resize(begins_.back());
  std::vector<size_t> ends = begins_;
  for (const Standing& candidate : candidates) {
    ForEachNode(state, *candidate.job, [&](NodeId node) { standings_[ends[node.value]++] = candidate; });
  }
}

std::vector<OnNode> ByNode::Open(const std::set<NodeId>& left_out, bool all) {
  std::vector<OnNode> open;
  for (uint32_t i = 0; i + 1 < begins_.size(); ++i) {
    const std::span<Standing> candidates(standings_.data() + begins_[i], begins_[i + 1] - begins_[i]);
    if ((all || !candidates.empty()) && !left_out.contains(NodeId{i})) open.push_back({NodeId{i}, candidates});
  }
  return open;
}

RoomSearch::RoomSearch(const State& state, const ScratchNodes& nodes, Instant at, const Job& job, MayGo may_go)
    : state_(state), nodes_(nodes), at_(at), job_(job), may_go_(std::move(may_go)) {}

// Cheapest first, until what is left cannot be cheaper than what a whole gang has found.
std::optional<std::vector<Room>> RoomSearch::FindCheapest(const std::vector<OnNode>& open) {
  const auto wanted = static_cast<size_t>(job_.spec->nodes);
  std::vector<std::pair<RoomCost, const OnNode*>> promising;
  for (const OnNode& one : open) {
    if (const auto least = LeastCost(one)) promising.emplace_back(*least, &one);
  }
  std::ranges::sort(promising, {}, [](const auto& one) { return one.first; });
  std::map<std::string, std::vector<Room>> by_trait;
  std::vector<Room>* best = nullptr;
  for (const auto& [least, one] : promising) {
    if (best != nullptr && (*best)[wanted - 1].Cost() < least) break;
    auto room = MakeRoom(*one);
    if (!room) continue;
    std::vector<Room>& alike = by_trait[room->trait];
    alike.push_back(*std::move(room));
    std::ranges::inplace_merge(alike, alike.end() - 1, {}, &Room::Cost);
    if (alike.size() < wanted) continue;
    if (best == nullptr || alike[wanted - 1].Cost() < (*best)[wanted - 1].Cost()) best = &alike;
  }
  if (best == nullptr) return std::nullopt;
  best->resize(wanted);
  return std::move(*best);
}

// What room there costs at least; nullopt: there cannot be enough.
std::optional<RoomCost> RoomSearch::LeastCost(const OnNode& on) const {
  const int64_t missing = job_.spec->gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
  if (missing <= 0) return RoomCost{-1, 0, 0, on.node};  // whom it must do without may be somewhere else
  int64_t gpus = 0;
  for (const Standing& candidate : on.candidates) gpus += candidate.job->spec->gpus.count;
  if (gpus < missing) return std::nullopt;
  return RoomCost{std::ranges::min(on.candidates, {}, &Standing::job_class).job_class, missing, 1, on.node};
}

// The cheapest room there; nullopt: there is none, not even without all of them.
std::optional<Room> RoomSearch::MakeRoom(const OnNode& on) {
  std::ranges::sort(on.candidates, {}, [this](const Standing& candidate) { return OrderOf(candidate, at_); });
  return on.candidates.size() <= kExactCandidates ? MakeCheapestRoom(on) : MakeSomeRoom(on);
}

// Every set, the cheapest first; of equal ones, those who go first.
std::optional<Room> RoomSearch::MakeCheapestRoom(const OnNode& on) {
  const int64_t missing = job_.spec->gpus.count - std::popcount(EligibleGpus(nodes_.Of(on.node), job_));
  std::array<LeavingSet, 1U << kExactCandidates> sets;
  std::vector<const LeavingSet*> enough;
  sets[0] = {{-1, 0, 0, on.node}, 0, 0, 0};
  for (uint32_t members = 0; members < 1U << on.candidates.size(); ++members) {
    if (members != 0) {
      const int first = std::countr_zero(members);
      sets[members] = Joined(sets[members & (members - 1)], on.candidates[static_cast<size_t>(first)], first);
    }
    if (sets[members].gpus_here >= missing) enough.push_back(&sets[members]);
  }
  const auto dearer = [](const LeavingSet* a, const LeavingSet* b) { return std::tie(a->cost, a->order) > std::tie(b->cost, b->order); };
  std::ranges::make_heap(enough, dearer);
  for (; !enough.empty(); enough.pop_back()) {
    std::ranges::pop_heap(enough, dearer);
    Room room = RoomOf(on, enough.back()->members);
    if (may_go_(room.leaving) && FitsIn(room)) return room;
  }
  return std::nullopt;
}

// Candidates in order until the job fits, without those who can be spared.
std::optional<Room> RoomSearch::MakeSomeRoom(const OnNode& on) {
  Room room{on.node, {}, ""};
  bool fits = FitsIn(room);
  for (auto next = on.candidates.begin(); !fits && next != on.candidates.end(); ++next) {
    room.leaving.push_back(next->job);
    if (may_go_(room.leaving)) {
      fits = FitsIn(room);
    } else {
      room.leaving.pop_back();
    }
  }
  if (!fits) return std::nullopt;
  Spare(room.leaving, {on.node});
  return room;
}

std::vector<const Job*> RoomSearch::Gather(const std::vector<Room>& rooms) {
  std::vector<const Job*> leaving;
  std::vector<NodeId> nodes;
  for (const Room& room : rooms) {
    nodes.push_back(room.node);
    for (const Job* job : room.leaving) {
      if (!std::ranges::count(leaving, job)) leaving.push_back(job);
    }
  }
  Spare(leaving, nodes);
  return leaving;
}

// Leaves out whoever can be spared on all of the nodes, the most precious first.
void RoomSearch::Spare(std::vector<const Job*>& leaving, const std::vector<NodeId>& on) {
  for (size_t i = leaving.size(); i-- > 0;) {
    std::vector<const Job*> others = leaving;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    const bool enough = std::ranges::all_of(on, [&](NodeId id) { return ChooseWithout(others, id).has_value(); });
    if (enough) leaving = std::move(others);
  }
}

// Whether the room is enough; then it has its trait.
bool RoomSearch::FitsIn(Room& room) {
  const auto choice = ChooseWithout(room.leaving, room.node);
  if (choice) room.trait = CommonTrait(*job_.spec, scratch_, *choice);
  return choice.has_value();
}

std::optional<NodeChoice> RoomSearch::ChooseWithout(const std::vector<const Job*>& leaving, NodeId id) {
  scratch_ = nodes_.Of(id);
  for (const Job* job : leaving) TakeAway(state_, *job, scratch_);
  return ChooseGpus(scratch_, job_);
}

}  // namespace gp
