#include "domain/cluster/quotas/grants.h"

#include <algorithm>
#include <set>

#include "domain/cluster/quotas/host_need.h"
#include "domain/model/nodes/features.h"

namespace gp {

namespace {

// A request for memory alone does not say how much of the compute it needs.
bool IsOfMemoryOnly(const GpuRequest& request) {
  return request.memory_mib > 0 && request.share_thousandths == kWholeShare;
}

GpuGrant InstanceFor(const GpuRequest& request, int gpu, const GpuFacts& facts) {
  const MigProfile* profile = facts.mig.Smallest(
      IsOfMemoryOnly(request) ? 0 : request.share_thousandths, request.memory_mib);
  if (profile == nullptr) return {gpu, 0, 0};
  return {gpu, facts.mig.ShareOf(*profile), profile->memory_mib, profile->id};
}

}  // namespace

GpuGrant GrantOf(const GpuRequest& request, int gpu, const GpuFacts& facts) {
  if (request.isolation == Isolation::kExclusive) return {gpu, kWholeShare, facts.memory_mib};
  if (request.isolation == Isolation::kMig) return InstanceFor(request, gpu, facts);
  // Only memory is requested: compute is shared without a quota and counts 0.
  const int share = IsOfMemoryOnly(request) ? 0 : request.share_thousandths;
  const int64_t memory =
      request.memory_mib > 0 ? request.memory_mib : facts.memory_mib * share / kWholeShare;
  return {gpu, share, memory};
}

GpuGrant PlacedGrantOf(const GpuRequest& request, int gpu, const GpuFacts& facts, const Gpu& now) {
  GpuGrant grant = GrantOf(request, gpu, facts);
  if (const MigProfile* profile = facts.mig.Find(grant.mig_profile))
    grant.mig_start = facts.mig.ChooseStart(*profile, now.mig_slices);
  return grant;
}

MigSlices SlicesOf(const GpuGrant& grant, const GpuFacts& facts) {
  const MigProfile* profile = facts.mig.Find(grant.mig_profile);
  return profile == nullptr || grant.mig_start < 0 || grant.mig_start >= kMigSlicesMax
             ? 0
             : SlicesAt(*profile, grant.mig_start);
}

namespace {

// Instances may belong to jobs of different users: the hardware isolates them.
Status CheckInstance(const Gpu& gpu, const GpuFacts& facts, const GpuGrant& grant) {
  const MigProfile* profile = facts.mig.Find(grant.mig_profile);
  if (profile == nullptr)
    return Fail(
        Conflict(facts.uuid + (facts.mig.empty() ? " is not in MIG mode"
                                                 : ": no MIG instance is as large as asked")));
  const bool is_legal = grant.mig_start >= 0 && grant.mig_start < kMigSlicesMax &&
                        (profile->starts >> grant.mig_start & 1) != 0;
  if (!is_legal || (SlicesAt(*profile, grant.mig_start) & gpu.mig_slices) != 0) {
    return Fail(Conflict(facts.uuid + ": no place is left for a MIG instance " + profile->name));
  }
  return Ok();
}

}  // namespace

Status CheckGpuGrant(const Gpu& gpu, const GpuFacts& facts, GpuMode mode, const std::string& user,
                     const GpuGrant& grant) {
  if (facts.presence != GpuPresence::kPresent)
    return Fail(Conflict(facts.uuid + " is not in its node"));
  if (!IsGrantable(gpu)) {
    return Fail(
        Conflict(facts.uuid + " is " + Name(gpu.condition) + (gpu.draining ? ", draining" : "")));
  }
  if (grant.share < 0 || grant.memory_mib < 0)
    return Fail(Conflict(facts.uuid + ": negative grant"));
  if (mode == GpuMode::kMig) {
    GP_CHECK_OK(CheckInstance(gpu, facts, grant));
  } else if (!facts.mig.empty()) {
    return Fail(Conflict(facts.uuid + " is in MIG mode"));
  }
  if (mode == GpuMode::kWhole) {
    if (!gpu.leases.empty())
      return Fail(Conflict(facts.uuid + " is held by " + ToText(gpu.leases[0])));
    if (grant.share != kWholeShare || grant.memory_mib != facts.memory_mib) {
      return Fail(Conflict(facts.uuid + ": a whole GPU is granted whole"));
    }
    return Ok();
  }
  if (mode == GpuMode::kMps && !facts.mps) {
    return Fail(Conflict(facts.uuid + ": " + Name(mode) + " is not offered here"));
  }
  if (gpu.mode != GpuMode::kFree && gpu.mode != mode) {
    return Fail(Conflict(facts.uuid + " is in use as " + Name(gpu.mode)));
  }
  if (gpu.mode != GpuMode::kFree && mode != GpuMode::kMig && gpu.owner != user) {
    return Fail(Conflict(facts.uuid + " is shared by another user's jobs"));
  }
  if (mode == GpuMode::kMps && gpu.leases.size() >= kMpsLeasesMax) {
    return Fail(Conflict(facts.uuid + ": " + std::to_string(kMpsLeasesMax) +
                         " jobs share it by MPS, which is the most"));
  }
  if (gpu.share_granted + grant.share > kWholeShare) {
    return Fail(Conflict(facts.uuid + ": " + std::to_string(kWholeShare - gpu.share_granted) +
                         " thousandths left, " + std::to_string(grant.share) + " asked"));
  }
  if (gpu.memory_granted_mib + grant.memory_mib > facts.memory_mib) {
    return Fail(Conflict(facts.uuid + ": " +
                         std::to_string(facts.memory_mib - gpu.memory_granted_mib) + " MiB left, " +
                         std::to_string(grant.memory_mib) + " asked"));
  }
  return Ok();
}

namespace {

Status CheckGpus(const Node& node, const Job& job, const RankPlacement& at) {
  const GpuRequest& request = job.spec->resources.gpus;
  if (static_cast<int>(at.gpus.size()) != request.count) {
    return Fail(Conflict(NameOf(job) + ": " + std::to_string(request.count) + " GPUs asked, " +
                         std::to_string(at.gpus.size()) + " placed"));
  }
  int last = -1;
  for (const GpuGrant& grant : at.gpus) {
    if (grant.gpu <= last || grant.gpu >= static_cast<int>(node.gpus.size())) {
      return Fail(Conflict(node.facts->name + ": GPUs of a rank are distinct, known and in order"));
    }
    last = grant.gpu;
    const GpuFacts& facts = node.facts->gpus[static_cast<size_t>(grant.gpu)];
    const Gpu& gpu = node.gpus[static_cast<size_t>(grant.gpu)];
    if (IsGrantable(gpu) && !IsGrantable(gpu, request.count)) {
      return Fail(
          Conflict(facts.uuid + " is " + Name(gpu.condition) + ": it takes work of one GPU only"));
    }
    GpuGrant asked = GrantOf(request, grant.gpu, facts);
    asked.mig_start = grant.mig_start;  // any placement is allowed
    if (!(grant == asked)) {
      return Fail(Conflict(facts.uuid + ": the grant is not what the job asked for"));
    }
    GP_CHECK_OK(CheckGpuGrant(gpu, facts, ModeFor(request), job.user.name, grant));
  }
  return Ok();
}

// Checks the job's topology requirements against the present hardware: the plan may be older.
Status CheckTopology(const Node& node, const Job& job, const RankPlacement& at) {
  const TopologyRequest& request = job.spec->placement.topology;
  const bool needs_numa = request.require == TopologyLevel::kSameNuma || !request.allow_cross_numa;
  const bool needs_nvlink = request.require == TopologyLevel::kNvlink;
  if (!needs_numa && !needs_nvlink) return Ok();
  const NodeFacts& facts = *node.facts;
  for (size_t b = 1; b < at.gpus.size(); ++b) {
    for (size_t a = 0; a < b; ++a) {
      const auto first = static_cast<size_t>(at.gpus[a].gpu),
                 second = static_cast<size_t>(at.gpus[b].gpu);
      const std::string_view lacks =
          needs_nvlink && facts.LinkCount(at.gpus[a].gpu, at.gpus[b].gpu) == 0
              ? " are not joined by NVLink"
          : needs_numa && facts.gpus[first].numa != facts.gpus[second].numa
              ? " are of two NUMA nodes"
              : "";
      if (!lacks.empty())
        return Fail(Conflict(NameOf(job) + ": " + facts.gpus[first].uuid + " and " +
                             facts.gpus[second].uuid + std::string(lacks)));
    }
  }
  return Ok();
}

Status CheckNuma(const Node& node, const RankPlacement& at) {
  int last = -1;
  for (const NumaGrant& grant : at.numa) {
    if (grant.numa <= last || grant.numa >= static_cast<int>(node.numa.size())) {
      return Fail(
          Conflict(node.facts->name + ": NUMA nodes of a rank are distinct, known and in order"));
    }
    last = grant.numa;
    const NumaFacts& facts = node.facts->numa[static_cast<size_t>(grant.numa)];
    const NumaLedger& ledger = node.numa[static_cast<size_t>(grant.numa)];
    const std::string where = node.facts->name + " NUMA " + std::to_string(facts.os_id);
    if (!grant.cpus.Minus(facts.cpus).Empty()) return Fail(Conflict(where + " lacks these cores"));
    if (grant.cpus.Intersects(ledger.cpus_granted))
      return Fail(Conflict(where + ": cores already held"));
    if (grant.memory_mib < 0 || ledger.memory_granted_mib + grant.memory_mib > facts.memory_mib) {
      return Fail(Conflict(where + ": " +
                           std::to_string(facts.memory_mib - ledger.memory_granted_mib) +
                           " MiB of memory left, " + std::to_string(grant.memory_mib) + " asked"));
    }
  }
  return Ok();
}

// A rank that got fewer cores than its job requests would run on those of its neighbours: without
// cores of its own a rank uses all of its NUMA nodes.
Status CheckHostNeed(const Node& node, const Job& job, const RankPlacement& at) {
  const HostNeed need = NeedOf(*job.spec, *node.facts);
  HostNeed placed;
  for (const NumaGrant& grant : at.numa) {
    placed.cpus += grant.cpus.Count();
    placed.memory_mib += grant.memory_mib;
  }
  if (placed == need) return Ok();
  return Fail(Conflict(NameOf(job) + ": " + std::to_string(need.cpus) + " cores and " +
                       std::to_string(need.memory_mib) + " MiB of memory asked, " +
                       std::to_string(placed.cpus) + " and " + std::to_string(placed.memory_mib) +
                       " placed"));
}

}  // namespace

bool MayUse(const Job& job, const Node& node) {
  const std::string& reservation = job.spec->placement.reservation;
  if (!reservation.empty() && !node.reservations.contains(reservation)) return false;
  return node.pool == job.pool && MissingFeature(*job.spec, *node.facts).empty() &&
         std::ranges::all_of(job.spec->placement.node_labels, [&](const auto& wanted) {
           const auto found = node.labels.find(wanted.first);
           return found != node.labels.end() && found->second == wanted.second;
         });
}

Status CheckGrants(const State& state, const Job& job, const RankPlacement& at) {
  const Node* node = state.FindNode(at.node);
  if (node == nullptr) return Fail(NotFound("no node with id " + std::to_string(at.node.value)));
  if (node->condition != NodeCondition::kUp || node->draining) {
    return Fail(Conflict("node " + node->facts->name + " takes no new work"));
  }
  if (!MayUse(job, *node))
    return Fail(Conflict(NameOf(job) + " may not use node " + node->facts->name +
                         ": another pool, other labels or fewer features"));
  GP_CHECK_OK(CheckGpus(*node, job, at));
  GP_CHECK_OK(CheckTopology(*node, job, at));
  GP_CHECK_OK(CheckNuma(*node, at));
  return CheckHostNeed(*node, job, at);
}

void HoldGrants(Node& node, const Lease& lease, const std::string& user) {
  node.leases.push_back(lease.id);
  for (const GpuGrant& grant : lease.gpus) {
    Gpu& gpu = node.gpus[static_cast<size_t>(grant.gpu)];
    gpu.mode = lease.mode;
    if (lease.mode == GpuMode::kTimeslice || lease.mode == GpuMode::kMps) gpu.owner = user;
    gpu.mig_slices |= SlicesOf(grant, node.facts->gpus[static_cast<size_t>(grant.gpu)]);
    gpu.share_granted += grant.share;
    gpu.memory_granted_mib += grant.memory_mib;
    gpu.leases.push_back(lease.id);
  }
  for (const NumaGrant& grant : lease.numa) {
    NumaLedger& ledger = node.numa[static_cast<size_t>(grant.numa)];
    ledger.cpus_granted = ledger.cpus_granted.Union(grant.cpus);
    ledger.memory_granted_mib += grant.memory_mib;
  }
}

void ReleaseGrants(Node& node, const Lease& lease) {
  std::erase(node.leases, lease.id);
  for (const GpuGrant& grant : lease.gpus) {
    Gpu& gpu = node.gpus[static_cast<size_t>(grant.gpu)];
    gpu.share_granted -= grant.share;
    gpu.memory_granted_mib -= grant.memory_mib;
    gpu.mig_slices &= ~SlicesOf(grant, node.facts->gpus[static_cast<size_t>(grant.gpu)]);
    std::erase(gpu.leases, lease.id);
    if (gpu.leases.empty()) {
      gpu.mode = GpuMode::kFree;
      gpu.owner.clear();
    }
  }
  for (const NumaGrant& grant : lease.numa) {
    NumaLedger& ledger = node.numa[static_cast<size_t>(grant.numa)];
    ledger.cpus_granted = ledger.cpus_granted.Minus(grant.cpus);
    ledger.memory_granted_mib -= grant.memory_mib;
  }
}

}  // namespace gp
