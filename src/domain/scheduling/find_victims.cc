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

using Candidate = Interruptible::Candidate;

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
  std::vector<const Candidate*> victims;
  std::string trait;

  auto Cost() const {
    int highest_class = -1;
    int64_t gpus = 0;
    for (const Candidate* victim : victims) {
      highest_class = std::max(highest_class, victim->standing.job_class);
      gpus += GpusOf(*victim->job);
    }
    return std::tuple(highest_class, gpus, victims.size(), node);
  }
};

class Search {
 public:
  Search(const State& state, const ScratchNodes& nodes, const Job& job) : state_(state), nodes_(nodes), job_(job) {}

  // Victims in order until the job fits; nullopt: not even without all of them.
  std::optional<Room> MakeRoom(NodeId id, const std::vector<const Candidate*>& candidates) const {
    const Node& now = nodes_.Of(id);
    int64_t gpus = std::popcount(EligibleGpus(now, *job_.spec, job_.user.name));
    for (const Candidate* victim : candidates) gpus += victim->job->spec->gpus.count;
    if (gpus < job_.spec->gpus.count) return std::nullopt;
    Node node = now;
    Room room{id, {}, ""};
    auto choice = Choose(node);
    for (auto next = candidates.begin(); !choice && next != candidates.end(); ++next) {
      TakeAway(state_, *(*next)->job, node);
      room.victims.push_back(*next);
      choice = Choose(node);
    }
    if (!choice) return std::nullopt;
    room.trait = CommonTrait(*job_.spec, node, *choice);
    return room;
  }

  // Leaves out whoever can be spared on all of the nodes, the most precious first.
  void Spare(std::vector<const Candidate*>& victims, const std::vector<NodeId>& on) const {
    for (size_t i = victims.size(); i-- > 0;) {
      std::vector<const Candidate*> others = victims;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
      const bool enough = std::ranges::all_of(on, [&](NodeId id) { return FitsWithout(others, id); });
      if (enough) victims = std::move(others);
    }
  }

 private:
  std::optional<NodeChoice> Choose(const Node& node) const { return ChooseGpus(node, *job_.spec, job_.user.name); }

  bool FitsWithout(const std::vector<const Candidate*>& victims, NodeId id) const {
    Node node = nodes_.Of(id);
    for (const Candidate* victim : victims) TakeAway(state_, *victim->job, node);
    return Choose(node).has_value();
  }

  const State& state_;
  const ScratchNodes& nodes_;
  const Job& job_;
};

// The outranked candidates on each node; for a gang also the nodes without any, where it may fit as it is.
std::map<NodeId, std::vector<const Candidate*>> ByNode(const State& state, const Interruptible& interruptible,
                                                       const std::set<NodeId>& reserved, const Job& job, Instant at) {
  std::map<NodeId, std::vector<const Candidate*>> by_node;
  const Standing standing = StandingOf(job, at);
  for (const Candidate& candidate : interruptible.in_order()) {
    if (!Outranks(standing, candidate.standing)) continue;
    for (const LeaseId id : candidate.job->leases) by_node[state.FindLease(id)->node].push_back(&candidate);
  }
  if (job.spec->nodes > 1 && !by_node.empty()) {
    for (const Node& node : state.nodes) by_node.try_emplace(node.id);
  }
  std::erase_if(by_node, [&](const auto& one) { return reserved.contains(one.first); });
  return by_node;
}

}  // namespace

Interruptible::Interruptible(const State& state, Instant at) {
  for (const JobId id : state.yielding) {
    const Job& job = *state.FindJob(id);
    const Standing standing = StandingOf(job, at);
    later_class_ = std::min(later_class_.value_or(standing.job_class), standing.job_class);
    if (IsInterruptible(job, state.policy, at)) {
      candidates_.push_back({&job, standing, AttainedGpuMs(job, at)});
    } else {
      ripe_at_ = std::min(ripe_at_, job.attempts.back().placed_at + state.policy.min_run);
    }
  }
  std::ranges::sort(candidates_, {}, [](const Candidate& c) {
    return std::tuple(c.standing.job_class, -c.standing.level, -c.attained_gpu_ms, -static_cast<int64_t>(c.job->id.value));
  });
}

bool Interruptible::AnyFor(const Standing& job) const {
  return std::ranges::any_of(candidates_, [&](const Candidate& c) { return Outranks(job, c.standing); });
}

bool Interruptible::AnyLaterFor(const Standing& job) const {
  return later_class_ && (*later_class_ < job.job_class || (*later_class_ == job.job_class && job.preemptible));
}

void Interruptible::Remove(JobId job) {
  std::erase_if(candidates_, [job](const Candidate& c) { return c.job->id == job; });
}

std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, const Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job, Instant at) {
  const Search search(state, nodes, job);
  std::vector<Room> rooms;
  for (const auto& [node, candidates] : ByNode(state, interruptible, reserved, job, at)) {
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
    std::vector<const Candidate*> victims;
    for (const Room* one : alike) {
      found.nodes.push_back(one->node);
      for (const Candidate* victim : one->victims) {
        if (!std::ranges::count(victims, victim)) victims.push_back(victim);
      }
    }
    search.Spare(victims, found.nodes);
    for (const Candidate* victim : victims) found.jobs.push_back(victim->job->id);
    std::ranges::sort(found.jobs);
    std::ranges::sort(found.nodes);
    return found;
  }
  return std::nullopt;
}

}  // namespace gp
