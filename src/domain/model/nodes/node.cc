#include "domain/model/nodes/node.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

Status ValidateGpu(const NodeFacts& facts, const GpuFacts& gpu) {
  const auto refuse = [&](const std::string& why) {
    return Fail(InvalidArgument("GPU " + Printable(gpu.uuid, 60) + ": " + why));
  };
  if (gpu.uuid.empty() || gpu.uuid.size() > 96) return refuse("bad UUID");
  if (gpu.minor < 0 || gpu.minor > (1 << 20)) return refuse("bad minor number");
  if (gpu.numa < 0 || std::cmp_greater_equal(gpu.numa, facts.numa.size()))
    return refuse("unknown NUMA node");
  if (gpu.memory_mib <= 0 || gpu.memory_mib > (int64_t{1} << 30))
    return refuse("impossible memory size");
  if (const Status table = ValidateMigTable(gpu.mig, gpu.memory_mib); !table)
    return refuse(table.error().message);
  return Ok();
}

// A core belongs to one NUMA node, because the ledger counts cores by NUMA node.
Status ValidateNuma(const NodeFacts& facts) {
  CpuSet cpus;
  for (const NumaFacts& numa : facts.numa) {
    if (numa.memory_mib < 0 || numa.memory_mib > (int64_t{1} << 34)) {
      return Fail(InvalidArgument("node " + facts.name + ": impossible host memory size"));
    }
    if (cpus.Intersects(numa.cpus)) {
      return Fail(InvalidArgument("node " + facts.name + ": a core is in two NUMA nodes"));
    }
    cpus = cpus.Union(numa.cpus);
  }
  return Ok();
}

}  // namespace

bool NodeFacts::HasGpusOf(const NodeFacts& other) const {
  return std::ranges::equal(gpus, other.gpus, [](GpuFacts a, const GpuFacts& b) {
    a.mps = b.mps;
    a.mig = b.mig;
    return a == b;
  });
}

std::vector<int> NodeFacts::DividedGpus() const {
  std::vector<int> divided;
  for (size_t i = 0; i < gpus.size(); ++i) {
    if (!gpus[i].mig.empty()) divided.push_back(static_cast<int>(i));
  }
  return divided;
}

int NodeFacts::PositionOf(const std::string& uuid) const {
  const auto found = std::ranges::find(gpus, uuid, &GpuFacts::uuid);
  return found == gpus.end() ? -1 : static_cast<int>(found - gpus.begin());
}

int NodeFacts::CountGpus() const {
  return static_cast<int>(std::ranges::count_if(
      gpus, [](const GpuFacts& gpu) { return gpu.presence != GpuPresence::kRetired; }));
}

Status ValidateNodeFacts(const NodeFacts& facts) {
  if (facts.name.empty() || facts.name.size() > 253 || Printable(facts.name, 253) != facts.name) {
    return Fail(InvalidArgument("a node's name has 1 to 253 printable characters"));
  }
  if (facts.numa.empty() || facts.numa.size() > kNumaMax) {
    return Fail(InvalidArgument("node " + facts.name + ": 1 to 64 NUMA nodes"));
  }
  if (facts.gpus.size() > kGpusMax) {
    return Fail(InvalidArgument("node " + facts.name + ": more than 64 GPUs"));
  }
  if (facts.links.size() != facts.gpus.size() * facts.gpus.size()) {
    return Fail(InvalidArgument("node " + facts.name + ": the link matrix is not GPUs x GPUs"));
  }
  if (facts.machine.size() > 64 || Printable(facts.machine, 64) != facts.machine) {
    return Fail(InvalidArgument("node " + facts.name +
                                ": a machine id has at most 64 printable characters"));
  }
  if (const Status features = ValidateFeatures(facts.features); !features)
    return Fail(InvalidArgument("node " + facts.name + ": " + features.error().message));
  GP_CHECK_OK(ValidateNuma(facts));
  for (const GpuFacts& gpu : facts.gpus) GP_CHECK_OK(ValidateGpu(facts, gpu));
  std::vector<std::string_view> uuids(facts.gpus.size());
  std::ranges::transform(facts.gpus, uuids.begin(), &GpuFacts::uuid);
  std::ranges::sort(uuids);
  if (const auto twice = std::ranges::adjacent_find(uuids); twice != uuids.end()) {
    return Fail(InvalidArgument("node " + facts.name + ": GPU " + std::string(*twice) +
                                " is listed twice"));
  }
  return Ok();
}

const char* Name(NodeCondition condition) {
  return condition == NodeCondition::kUp ? "UP" : "LOST";
}

}  // namespace gp
