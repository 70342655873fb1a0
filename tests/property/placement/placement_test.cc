// The planner's choice against the second opinion, over generated nodes of up to eight GPUs in
// every state.  GP_CASES and GP_SEED_FIRST choose how many and which.

#include <gtest/gtest.h>

#include <cstdlib>

#include "base/rng.h"
#include "domain/cluster/quotas/grants.h"
#include "domain/placement/choose_gpus.h"
#include "tests/property/placement/placement_reference.h"

namespace gp {
namespace {

Job JobOf(const JobSpec& spec) {
  Job job;
  job.spec = std::make_shared<const JobSpec>(spec);
  job.user.name = "ana";
  return job;
}

struct Case {
  Node node;
  JobSpec spec;
  PlacementWeights weights;
};

NodeFacts RandomLayout(Rng& rng) {
  NodeFacts facts;
  facts.name = "n";
  const int numas = 1 << rng.Between(0, 2);
  for (int i = 0; i < numas; ++i) {
    NumaFacts numa;
    numa.package = rng.Chance(3, 4) ? i / 2 : rng.Between(0, 1);
    numa.cpus.AddRange(i * 8, i * 8 + rng.Between(0, 7));
    numa.memory_mib = rng.Between(0, 4) * 10'000;
    facts.numa.push_back(numa);
  }
  const int gpus = rng.Chance(3, 4) ? 8 : rng.Between(1, 7);
  const bool in_order = rng.Chance(2, 3);
  for (int i = 0; i < gpus; ++i) {
    GpuFacts gpu;
    gpu.uuid = "GPU-" + std::to_string(i);
    gpu.model = rng.Chance(5, 6) ? "H100" : "A100";
    gpu.numa = in_order ? i * numas / gpus : rng.Between(0, numas - 1);
    gpu.memory_mib = rng.Chance(5, 6) ? 80'000 : 40'000;
    facts.gpus.push_back(gpu);
  }
  return facts;
}

// All alike, in cliques as on boards with bridges, or anything.
void AddLinks(Rng& rng, NodeFacts& facts) {
  const auto size = facts.gpus.size();
  facts.links.assign(size * size, 0);
  const int kind = rng.Between(0, 3);
  for (size_t a = 0; a < size; ++a) {
    for (size_t b = a + 1; b < size; ++b) {
      int links = 0;
      if (kind == 1) links = 18;
      if (kind == 2) links = a / 2 == b / 2 ? 4 : a / 4 == b / 4 ? 1 : 0;
      if (kind == 3) links = rng.Between(0, 3);
      facts.links[a * size + b] = facts.links[b * size + a] = static_cast<uint8_t>(links);
    }
  }
}

void RandomUse(Rng& rng, Node& node) {
  const uint64_t load = rng.Below(4);
  for (size_t i = 0; i < node.gpus.size(); ++i) {
    Gpu& gpu = node.gpus[i];
    gpu.condition = rng.Chance(9, 10) ? GpuCondition::kAvailable : GpuCondition::kSuspect;
    gpu.draining = rng.Chance(1, 12);
    if (!rng.Chance(load, 4)) continue;
    gpu.leases = {LeaseId{i + 1}};
    gpu.mode = rng.Chance(1, 2) ? GpuMode::kWhole : GpuMode::kTimeslice;
    gpu.share_granted = 1000;
    gpu.memory_granted_mib = node.facts->gpus[i].memory_mib;
    if (gpu.mode == GpuMode::kWhole) continue;
    gpu.owner = rng.Chance(3, 4) ? "ana" : "ben";
    gpu.share_granted = rng.Between(0, 4) * 250;
    gpu.memory_granted_mib = rng.Between(0, 4) * 10'000;
  }
  for (size_t i = 0; i < node.numa.size(); ++i) {
    const NumaFacts& facts = node.facts->numa[i];
    if (load > 0) node.numa[i].cpus_granted = facts.cpus.Lowest(rng.Between(0, facts.cpus.Count()));
    if (load > 0) node.numa[i].memory_granted_mib = rng.Between(0, 4) * facts.memory_mib / 4;
  }
}

JobSpec RandomRequest(Rng& rng) {
  JobSpec spec;
  spec.resources.gpus.count = rng.Chance(1, 12) ? 0 : rng.Between(1, rng.Chance(1, 2) ? 3 : 8);
  if (spec.resources.gpus.count > 0 && rng.Chance(1, 3)) {
    spec.resources.gpus.isolation = Isolation::kTimeslice;
    spec.resources.gpus.share_thousandths = rng.Between(1, 4) * 250;
    if (spec.resources.gpus.share_thousandths == 1000 || rng.Chance(1, 3))
      spec.resources.gpus.memory_mib = rng.Between(1, 40) * 1'000;
  }
  if (rng.Chance(1, 8)) spec.resources.gpus.models = {"A100"};
  if (rng.Chance(1, 8)) spec.resources.gpus.memory_mib_min = 60'000;
  spec.placement.topology.require =
      static_cast<TopologyLevel>(rng.Chance(1, 2) ? 0 : rng.Between(0, 3));
  spec.placement.topology.prefer = static_cast<TopologyLevel>(rng.Between(0, 3));
  spec.placement.topology.allow_cross_numa = rng.Chance(3, 4);
  if (rng.Chance(2, 3)) spec.resources.cpus = rng.Between(1, 8);
  if (rng.Chance(2, 3)) spec.resources.memory_bytes = rng.Between(1, 40'000) * int64_t{1'000'000};
  return spec;
}

PlacementWeights RandomWeights(Rng& rng) {
  const auto weight = [&] { return rng.Chance(1, 2) ? rng.Between(1, 5) : 0; };
  return {weight(), weight(), weight(), weight(), weight(), weight()};
}

Case RandomCase(Rng& rng) {
  NodeFacts facts = RandomLayout(rng);
  AddLinks(rng, facts);
  Case one;
  one.node.facts = std::make_shared<const NodeFacts>(std::move(facts));
  one.node.gpus.resize(one.node.facts->gpus.size());
  one.node.numa.resize(one.node.facts->numa.size());
  RandomUse(rng, one.node);
  one.spec = RandomRequest(rng);
  if (rng.Chance(1, 2)) one.weights = RandomWeights(rng);
  return one;
}

std::string Tell(const std::optional<std::vector<int>>& set) {
  if (!set) return "nothing";
  std::string text = "{";
  for (const int gpu : *set) text += " " + std::to_string(gpu);
  return text + " }";
}

// What goes with the set is on the node, free, and as much as the book says.
void CheckHost(const Case& one, const RankPlacement& placement) {
  int cpus = 0;
  for (const NumaGrant& grant : placement.numa) {
    const auto numa = static_cast<size_t>(grant.numa);
    ASSERT_LT(numa, one.node.numa.size());
    EXPECT_TRUE(grant.cpus.Minus(one.node.facts->numa[numa].cpus).Empty());
    EXPECT_FALSE(grant.cpus.Intersects(one.node.numa[numa].cpus_granted));
    EXPECT_LE(one.node.numa[numa].memory_granted_mib + grant.memory_mib,
              one.node.facts->numa[numa].memory_mib);
    cpus += grant.cpus.Count();
  }
  if (one.spec.resources.cpus > 0) {
    EXPECT_EQ(cpus, one.spec.resources.cpus);
  }
}

TEST(Placement, EqualsTheBook) {
  const char* cases_text = std::getenv("GP_CASES");
  const char* seed_text = std::getenv("GP_SEED_FIRST");
  const uint64_t cases = cases_text == nullptr ? 20'000 : std::strtoull(cases_text, nullptr, 10);
  const uint64_t first = seed_text == nullptr ? 1 : std::strtoull(seed_text, nullptr, 10);
  uint64_t placed = 0;
  for (uint64_t seed = first; seed < first + cases; ++seed) {
    Rng rng(seed);
    const Case one = RandomCase(rng);
    const auto choice = ChooseGpus(one.node, JobOf(one.spec), one.weights);
    std::optional<std::vector<int>> chosen;
    if (choice) {
      chosen.emplace();
      for (const GpuGrant& grant : choice->placement.gpus) chosen->push_back(grant.gpu);
      CheckHost(one, choice->placement);
      ++placed;
    }
    const auto best = BestSetByTheBook(one.node, one.spec, "ana", one.weights);
    ASSERT_EQ(chosen, best) << "the planner takes " << Tell(chosen) << ", the book " << Tell(best)
                            << "\n  again: GP_CASES=1 GP_SEED_FIRST=" << seed
                            << " bin/property_placement";
  }
  // Cases in which nothing fits, or everything, would prove little.
  EXPECT_GT(placed, cases / 5);
  EXPECT_LT(placed, cases - cases / 5);
}

}  // namespace
}  // namespace gp
