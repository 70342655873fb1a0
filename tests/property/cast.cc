#include "tests/property/cast.h"

#include <array>

#include "domain/model/nodes/features.h"
#include "tests/support/mig_models.h"

namespace gp {
namespace {

void AddGpus(Rng& rng, NodeFacts& facts, int count) {
  const bool big = rng.Chance(1, 2);
  const bool divided = !big && rng.Chance(1, 3);
  for (int i = 0; i < count; ++i) {
    GpuFacts gpu;
    gpu.uuid = "G" + std::to_string(i) + facts.name;
    gpu.model = big ? "H100" : "A100";
    gpu.minor = i;
    gpu.numa = static_cast<int>(rng.Below(facts.numa.size()));
    gpu.memory_mib = big ? 80'000 : 40'000;
    gpu.mps = big;
    if (divided && rng.Chance(1, 2)) gpu.mig = A100Mig();
    facts.gpus.push_back(gpu);
  }
  const auto size = static_cast<size_t>(count);
  facts.links.assign(size * size, 0);
  const bool linked = rng.Chance(2, 3);
  for (size_t a = 0; a < size; ++a) {
    for (size_t b = a + 1; b < size; ++b) {
      const auto links = static_cast<uint8_t>(linked && rng.Chance(3, 4) ? rng.Between(1, 18) : 0);
      facts.links[a * size + b] = facts.links[b * size + a] = links;
    }
  }
}

void ChooseShare(Rng& rng, JobSpec& spec) {
  static constexpr std::array kOfOne = {Isolation::kTimeslice, Isolation::kMps, Isolation::kMig};
  spec.resources.gpus.isolation =
      spec.resources.gpus.count == 1 ? kOfOne[rng.Below(kOfOne.size())] : Isolation::kTimeslice;
  if (rng.Chance(1, 3)) {
    spec.resources.gpus.memory_mib = rng.Between(1, 40) * 1000;
    return;
  }
  static constexpr std::array kShares = {100, 250, 333, 500, 667, 999};
  spec.resources.gpus.share_thousandths = kShares[rng.Below(kShares.size())];
  if (rng.Chance(1, 3)) spec.resources.gpus.memory_mib = rng.Between(1, 40) * 1000;
}

void ChooseTopology(Rng& rng, JobSpec& spec) {
  if (rng.Chance(1, 6)) spec.placement.topology.require = TopologyLevel::kSameNuma;
  if (rng.Chance(1, 6)) spec.placement.topology.require = TopologyLevel::kNvlink;
  if (rng.Chance(1, 4)) spec.placement.topology.prefer = TopologyLevel::kNvlink;
  if (rng.Chance(1, 6)) spec.placement.topology.allow_cross_numa = false;
}

void ChooseLife(Rng& rng, JobSpec& spec) {
  spec.policy.priority = 250 * rng.Between(1, 3);
  if (rng.Chance(1, 4)) spec.policy.time_limit = Duration::Seconds(rng.Between(1, 60));
  spec.policy.grace = Duration::Seconds(rng.Chance(1, 4) ? 600 : rng.Between(0, 20));
  spec.recovery.on_lease_loss = static_cast<LeaseLoss>(rng.Between(0, 2));
  spec.recovery.retry.on_failure = rng.Chance(1, 3);
  if (rng.Chance(1, 4))
    spec.recovery.on_metric = {{"loss is nan", static_cast<MetricAction>(rng.Between(0, 2))}};
  spec.recovery.retry.retries_max = rng.Between(0, 3);
  spec.recovery.retry.backoff_min = Duration::Seconds(rng.Between(0, 10));
  spec.recovery.retry.backoff_max =
      spec.recovery.retry.backoff_min + Duration::Seconds(rng.Between(0, 30));
}

}  // namespace

NodeFacts RandomFacts(Rng& rng, int index) {
  NodeFacts facts;
  facts.features = AllFeatures();
  if (rng.Chance(3, 4)) facts.features.insert(kPortLeasesFeature);
  facts.machine = "machine-" + std::to_string(index);
  facts.name = "n" + std::to_string(index);
  facts.simulated = rng.Chance(1, 2);
  const int numas = rng.Between(1, 2);
  const int cores = rng.Between(2, 8);
  for (int i = 0; i < numas; ++i) {
    NumaFacts numa;
    numa.os_id = i;
    numa.package = rng.Between(0, i);
    numa.cpus.AddRange(i * cores, (i + 1) * cores - 1);
    numa.memory_mib = 64'000;
    facts.numa.push_back(numa);
  }
  AddGpus(rng, facts, rng.Chance(1, 12) ? rng.Between(0, 8) : rng.Between(1, 3));
  return facts;
}

JobSpec RandomSpec(Rng& rng, int machines) {
  JobSpec spec;
  spec.program.command = {"run"};
  spec.resources.gpus.count = rng.Chance(1, 10) ? 0 : rng.Chance(2, 3) ? 1 : rng.Between(2, 4);
  if (machines > 1 && rng.Chance(1, 4)) spec.resources.nodes = rng.Between(2, 3);
  if (spec.resources.gpus.count > 0 && rng.Chance(1, 3)) ChooseShare(rng, spec);
  if (spec.resources.gpus.count > 0 && rng.Chance(1, 8))
    spec.resources.gpus.models = {rng.Chance(1, 2) ? "H100" : "A100"};
  if (spec.resources.gpus.count > 0 && rng.Chance(1, 12))
    spec.resources.gpus.memory_mib_min = 50'000;
  if (rng.Chance(1, 3)) spec.resources.cpus = rng.Between(1, 10);
  if (rng.Chance(1, 4)) spec.resources.memory_bytes = rng.Between(1, 100) * (int64_t{1} << 30);
  ChooseTopology(rng, spec);
  ChooseLife(rng, spec);
  return spec;
}

User RandomUser(Rng& rng) {
  return rng.Chance(1, 2) ? User{"ana", 1000, 1000} : User{"ben", 1001, 1001};
}

}  // namespace gp
