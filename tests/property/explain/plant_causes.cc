// What keeps a job waiting, by what there is and who runs.

#include <algorithm>
#include <map>

#include "tests/property/explain/planted_case.h"

namespace gp {

Planted PlantedCase::PlantHardware() {
  Fill(rng_.Between(0, 8));
  JobSpec spec = Spec(rng_.Between(1, 8));
  switch (rng_.Below(4)) {
    case 0: spec.resources.gpus.count = rng_.Between(9, 16); break;
    case 1: spec.resources.gpus.models = {"B200"}; break;
    case 2: spec.resources.gpus.memory_mib_min = int64_t{1} << 20; break;
    default: spec.resources.nodes = Nodes() + rng_.Between(1, 3); break;
  }
  Wait(spec);
  return {"hardware", PendingKind::kNoSuchHardware};
}

Planted PlantedCase::PlantAway() {
  JobSpec spec = Spec(rng_.Between(1, 8));
  spec.resources.gpus.models = {"H100"};
  (void)engine_.Execute(ChangeService{NodeId{0}, -1, ServiceAction::kDrain, false, "test"});
  Wait(spec);
  return {"nodes away", PendingKind::kNodesAway};
}

Planted PlantedCase::PlantQuota() {
  SetQueue set;
  set.name = "tight";
  const int limit = rng_.Between(1, 6);
  (rng_.Chance(1, 2) ? set.limit : set.user_limit).gpus = limit;
  (void)engine_.Execute(set);
  JobSpec spec = Spec(rng_.Between(1, limit));
  spec.policy.queue = "tight";
  JobSpec other = Spec(rng_.Between(limit - spec.resources.gpus.count + 1, limit));
  other.policy.queue = "tight";
  const JobId held = Submit(other, {"ana", 1000, 1000});
  engine_.Start(held);
  Wait(spec);
  return {"quota", PendingKind::kQuota};
}

Planted PlantedCase::PlantCapacity() {
  Fill(rng_.Between(0, 3));
  JobSpec spec = Spec(rng_.Between(MostFree() + 1, 8));
  if (rng_.Chance(1, 3)) spec.resources.nodes = rng_.Between(1, Nodes());
  if (spec.resources.nodes > 1) spec.resources.gpus.models = {};
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(rng_.Between(0, 30)));
  Wait(spec);
  // A gang takes GPUs of one model: there may be too few nodes of one.
  const int alike = std::max(1, Nodes() - 1);
  return {"capacity",
          spec.resources.nodes > alike ? PendingKind::kNoSuchHardware : PendingKind::kCapacity};
}

// On each node two or three GPUs of each NUMA node are free.
Planted PlantedCase::PlantTopology() {
  std::vector<JobId> jobs;
  for (int i = 0; i < Nodes() * 8; ++i) jobs.push_back(Run(Spec(1)));
  const int left = rng_.Between(2, 3);
  std::map<std::pair<uint32_t, int>, int> freed;
  for (const JobId id : jobs) {
    const Lease& lease = *engine_.state().FindLease(engine_.state().FindJob(id)->leases.front());
    const int numa = engine_.state()
                         .FindNode(lease.node)
                         ->facts->gpus[static_cast<size_t>(lease.gpus.front().gpu)]
                         .numa;
    if (freed[{lease.node.value, numa}]++ < left) engine_.Finish(id);
  }
  JobSpec spec = Spec(left + rng_.Between(1, 4 - left));
  if (rng_.Chance(1, 2)) spec.placement.topology.require = TopologyLevel::kSameNuma;
  if (spec.placement.topology.require == TopologyLevel::kNone)
    spec.placement.topology.allow_cross_numa = false;
  Wait(spec);
  return {"topology", PendingKind::kTopology};
}

Planted PlantedCase::PlantHost() {
  JobSpec hog = Spec(0);
  int cores = 0;
  for (const NumaFacts& numa : engine_.state().nodes.all[0].facts->numa) cores += numa.cpus.Count();
  hog.resources.cpus = cores - rng_.Between(1, 8);
  for (int i = 0; i < Nodes(); ++i) Run(hog);
  JobSpec spec = Spec(rng_.Between(1, 4));
  spec.resources.cpus = rng_.Between(cores - hog.resources.cpus + 1, cores);
  Wait(spec);
  return {"host", PendingKind::kHost};
}

// A large job has waited for long: the nodes that it could use are kept for it.
Planted PlantedCase::PlantKept() {
  Fill(6);
  JobSpec large = Spec(8);
  large.resources.gpus.models = {"H100"};  // the first node
  Wait(large);                             // by the same user, or the turn would be the other's
  if (HoldsLeases(job().state)) {
    engine_.Start(job_);
    return PlantCapacity();
  }
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(10));
  JobSpec spec = Spec(1);
  spec.resources.gpus.models = large.resources.gpus.models;
  Wait(spec);
  if (HoldsLeases(job().state)) return {"kept"};
  return {"kept", FreeOn(engine_.state().nodes.all[0]) == 0 ? PendingKind::kCapacity
                                                            : PendingKind::kReserved};
}

// On every node runs somebody who may be moved, and too few are free for another one: the nodes
// together have room for all.
Planted PlantedCase::PlantFragments() {
  if (Nodes() == 1) return PlantCapacity();
  const bool gang = Nodes() == 3 && rng_.Chance(1, 3);
  std::vector<JobId> fillers;
  for (int i = 0; i < Nodes(); ++i) {
    JobSpec movable = Spec(1 << rng_.Between(0, gang ? 1 : 2));
    movable.policy.movable = true;
    if (rng_.Chance(1, 2)) movable.policy.priority = 250;
    Run(movable);
    fillers.push_back(Run(Spec(8 - movable.resources.gpus.count)));
  }
  for (const JobId id : fillers) engine_.Finish(id);
  if (std::ranges::any_of(engine_.state().nodes.all,
                          [this](const Node& node) { return FreeOn(node) == 8; }))
    return {"fragments"};
  engine_.AdvanceTo(engine_.now() + Duration::Minutes(rng_.Between(10, 60)));
  JobSpec spec = Spec(rng_.Between(std::min(MostFree() + 1, 8), 8));
  spec.resources.nodes = gang ? 2 : 1;
  Wait(spec);
  if (HoldsLeases(job().state)) return {"fragments"};
  return {"fragments", PendingKind::kCapacity, ChangeKind::kMove};
}

}  // namespace gp
