#include "domain/placement/host_share.h"

#include <algorithm>
#include <bit>

namespace gp {
namespace {

// The distance of a NUMA node from the GPUs: it has some, its socket has some, or neither.
enum class Nearness { kOwn, kOwnSocket, kOther };

Nearness NearnessOf(const NodeFacts& facts, const std::vector<int>& weights, size_t numa) {
  if (weights[numa] > 0) return Nearness::kOwn;
  for (size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] > 0 && facts.numa[i].package == facts.numa[numa].package)
      return Nearness::kOwnSocket;
  }
  return Nearness::kOther;
}

// Divides `need` by weight. What a NUMA node cannot give comes from the next one that can: first
// those with weight, then, if allowed, the others, near ones first. False: not enough.
bool Split(int64_t need, const NodeFacts& facts, const std::vector<int>& weights,
           const std::vector<int64_t>& room, bool others_too, std::vector<int64_t>* parts) {
  int64_t weight_sum = 0;
  for (const int weight : weights) weight_sum += weight;
  parts->assign(weights.size(), 0);
  int64_t rest = need;
  for (size_t i = 0; i < weights.size(); ++i) {
    (*parts)[i] = std::min(need * weights[i] / weight_sum, room[i]);
    rest -= (*parts)[i];
  }
  for (const Nearness wanted : {Nearness::kOwn, Nearness::kOwnSocket, Nearness::kOther}) {
    if (rest == 0 || (wanted != Nearness::kOwn && !others_too)) break;
    for (size_t i = 0; i < weights.size() && rest > 0; ++i) {
      if (NearnessOf(facts, weights, i) != wanted) continue;
      const int64_t more = std::min(rest, room[i] - (*parts)[i]);
      (*parts)[i] += more;
      rest -= more;
    }
  }
  return rest == 0;
}

}  // namespace

std::vector<int> GpusByNuma(const NodeFacts& facts, GpuMask gpus) {
  std::vector<int> counts(facts.numa.size(), gpus == 0 ? 1 : 0);
  for (GpuMask rest = gpus; rest != 0; rest &= rest - 1) {
    ++counts[static_cast<size_t>(facts.gpus[static_cast<size_t>(std::countr_zero(rest))].numa)];
  }
  return counts;
}

std::optional<std::vector<NumaGrant>> ShareHost(const Node& node, const JobSpec& spec,
                                                GpuMask gpus) {
  const NodeFacts& facts = *node.facts;
  const HostNeed need = NeedOf(spec, facts);
  const std::vector<int> weights = GpusByNuma(facts, gpus);
  std::vector<int64_t> cpu_room;
  std::vector<int64_t> memory_room;
  for (size_t i = 0; i < facts.numa.size(); ++i) {
    cpu_room.push_back(facts.numa[i].cpus.Minus(node.numa[i].cpus_granted).Count());
    memory_room.push_back(facts.numa[i].memory_mib - node.numa[i].memory_granted_mib);
  }
  const bool cross = spec.placement.topology.allow_cross_numa &&
                     spec.placement.topology.require != TopologyLevel::kSameNuma;
  std::vector<int64_t> cpus;
  std::vector<int64_t> memory;
  if (!Split(need.cpus, facts, weights, cpu_room, cross, &cpus)) return std::nullopt;
  if (!Split(need.memory_mib, facts, weights, memory_room, cross, &memory)) return std::nullopt;
  std::vector<NumaGrant> grants;
  for (size_t i = 0; i < facts.numa.size(); ++i) {
    if (cpus[i] == 0 && memory[i] == 0 && (weights[i] == 0 || gpus == 0)) continue;
    const CpuSet free = facts.numa[i].cpus.Minus(node.numa[i].cpus_granted);
    grants.push_back({static_cast<int>(i), free.Lowest(static_cast<int>(cpus[i])), memory[i]});
  }
  return grants;
}

}  // namespace gp
