#include "tests/property/explain/crowd.h"

#include <algorithm>
#include <map>

#include "domain/cluster/preemption.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/placement/choose_gpus.h"
#include "domain/placement/place_gang.h"
#include "simulation/engine/plain_node.h"

namespace gp {

Crowd::Crowd(uint64_t seed, const CrowdKind& kind) : kind_(kind), rng_(seed) {
  engine_.AdvanceTo(Instant{1'700'000'000'000'000'000});
  const int nodes = rng_.Between(kind.nodes_min, kind.nodes_max);
  for (int i = 0; i < nodes; ++i) {
    NodeFacts facts = PlainNode(i, rng_.Chance(1, 2) ? 8 : 4);
    const bool is_other = kind.gang && rng_.Chance(1, 6);
    for (GpuFacts& gpu : facts.gpus) gpu.model = is_other ? "NVIDIA A100" : "NVIDIA H100";
    engine_.AddNode(facts);
  }
  for (const char* queue : {"one", "two"}) {
    if (!kind.guarantees) break;
    SetQueue set;
    set.name = queue;
    set.guaranteed = rng_.Between(0, 2 * nodes);
    (void)engine_.Execute(set);
  }
  for (int i = 0; i < kind.jobs; ++i) {
    const int gpus = 1 << rng_.Between(0, 3);
    const int ranks =
        kind.gang ? (rng_.Chance(1, 2) ? rng_.Between(2, 3) : 1) : (rng_.Chance(1, 5) ? 2 : 1);
    const int priority = 50 * rng_.Between(2, 15);
    const JobId id = Submit(gpus, ranks, priority, rng_.Chance(2, 3), Queue());
    engine_.Pass();
    if (HoldsLeases(engine_.state().FindJob(id)->state)) {
      engine_.Start(id);
      running_.push_back(id);
    } else {
      (void)engine_.Execute(StopJob{id, true});
    }
  }
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(10));
  const int gpus = 1 << rng_.Between(0, 3);
  const int ranks = kind.gang ? rng_.Between(2, std::min(nodes, kind.ranks_max)) : 1;
  job_ = Submit(gpus, ranks, 250 * rng_.Between(2, 3), false, Queue());
}

std::string Crowd::Queue() { return kind_.guarantees ? (rng_.Chance(1, 2) ? "one" : "two") : ""; }

JobId Crowd::Submit(int gpus, int nodes, int priority, bool preemptible, const std::string& queue) {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = gpus;
  spec.resources.nodes = nodes;
  spec.policy.priority = priority;
  spec.policy.preemptible = preemptible;
  spec.policy.queue = queue;
  spec.resources.cpus = 1;
  spec.resources.memory_bytes = int64_t{1} << 30;
  return *engine_.Submit(std::make_shared<const JobSpec>(spec), {"ana", 1000, 1000});
}

std::optional<Victims> Crowd::Found() const {
  PreemptionCandidates candidates(state(), engine_.now());
  return FindVictims(state(), ScratchNodes(state()), candidates, {}, job());
}

std::vector<const Job*> Crowd::Takeable() const {
  std::vector<const Job*> evictable;
  for (const JobId id : running_) {
    const Job& other = *state().FindJob(id);
    if (IsEvictable(other) && MayPreemptAll({&other})) evictable.push_back(&other);
  }
  return evictable;
}

std::optional<Crowd::Cost> Crowd::Least() const {
  const std::vector<const Job*> evictable = Takeable();
  std::optional<Cost> least;
  for (uint32_t set = 1; set < 1U << evictable.size(); ++set) {
    std::vector<const Job*> gone;
    for (size_t i = 0; i < evictable.size(); ++i) {
      if ((set >> i & 1) != 0) gone.push_back(evictable[i]);
    }
    const Cost cost = CostOf(gone);
    if ((!least || cost < *least) && MayPreemptAll(gone) && Fits(gone)) least = cost;
  }
  return least;
}

// One after the other, in the order in which they are evicted.
bool Crowd::MayPreemptAll(const std::vector<const Job*>& jobs) const {
  Preemptions preemptions(state(), engine_.now());
  return std::ranges::all_of(jobs, [&](const Job* other) {
    const bool may = preemptions.MayPreempt(ContenderOf(job(), engine_.now()),
                                            ContenderOf(*other, engine_.now()));
    preemptions.Preempt(job(), *other);
    return may;
  });
}

Crowd::Cost Crowd::CostOf(const std::vector<const Job*>& jobs) const {
  int highest = -1;
  int64_t gpus = 0;
  int64_t sum = 0;
  for (const Job* one : jobs) {
    highest = std::max(highest, one->spec->policy.priority);
    gpus += int64_t{one->spec->resources.nodes} * one->spec->resources.gpus.count;
    sum += one->spec->policy.priority;
  }
  return {highest, gpus, jobs.size(), sum};
}

std::vector<const Job*> Crowd::JobsOf(const Victims& victims) const {
  std::vector<const Job*> jobs;
  for (const JobId id : victims.jobs) jobs.push_back(state().FindJob(id));
  return jobs;
}

bool Crowd::Fits(const std::vector<const Job*>& gone) const {
  std::map<std::string, int> nodes;  // on which a rank fits, by what all ranks must have in common
  for (Node node : state().nodes.all) {
    for (const Job* other : gone) {
      for (const LeaseId id : other->leases) {
        const Lease& lease = *state().FindLease(id);
        if (lease.node == node.id) ReleaseGrants(node, lease);
      }
    }
    const auto choice = ChooseGpus(node, job(), {});
    if (choice && ++nodes[CommonTrait(*job().spec, node, *choice)] >= job().spec->resources.nodes)
      return true;
  }
  return false;
}

}  // namespace gp
