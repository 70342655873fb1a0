#pragma once

// A node: what its agent found (facts, shared and never changed in place) and what is granted.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/fields.h"
#include "base/result.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/nodes/gpu.h"
#include "domain/model/queue.h"

namespace gp {

inline constexpr int kGpusMax = 64;  // of one node: a set of GPUs is one 64-bit word
inline constexpr int kNumaMax = 64;

struct NumaFacts {
  int os_id = 0;    // the kernel's number, not always contiguous
  int package = 0;  // socket
  CpuSet cpus;
  int64_t memory_mib = 0;
  bool operator==(const NumaFacts&) const = default;
};
GP_FIELDS(NumaFacts, v.os_id, v.package, v.cpus, v.memory_mib)

struct NodeFacts {
  std::string name;
  bool simulated = false;
  std::string driver_version;
  std::vector<NumaFacts> numa;  // at least one
  std::vector<GpuFacts> gpus;
  // links[a * gpus.size() + b]: NVLinks between two GPUs; 0: only PCIe.
  std::vector<uint8_t> links;
  // Identifies the host without GPUs: a digest of its machine id; empty: unknown.
  std::string machine;
  // What its agent can do for jobs (domain/model/nodes/features.h).
  std::set<std::string> features;

  // Whether the hardware is the same, whatever its software supports.
  bool HasGpusOf(const NodeFacts& other) const;
  // Positions of the GPUs in MIG mode.
  std::vector<int> DividedGpus() const;
  // The position of the GPU; -1: it was never in this node.
  int PositionOf(const std::string& uuid) const;
  // GPUs that are installed, or missing and expected back.
  int CountGpus() const;
  int LinkCount(int a, int b) const {
    return links[static_cast<size_t>(a) * gpus.size() + static_cast<size_t>(b)];
  }
  bool operator==(const NodeFacts&) const = default;
};
GP_FIELDS(NodeFacts, v.name, v.simulated, v.driver_version, v.numa, v.gpus, v.links,
          Since<17>(v.machine), Since<20>(v.features))

inline bool IsRetired(const NodeFacts& facts, int gpu) {
  return facts.gpus[static_cast<size_t>(gpu)].presence == GpuPresence::kRetired;
}

// kInvalidArgument: the message names the impossible value that an agent reported.
Status ValidateNodeFacts(const NodeFacts& facts);

struct NumaLedger {
  CpuSet cpus_granted;
  int64_t memory_granted_mib = 0;
};
GP_FIELDS(NumaLedger, v.cpus_granted, v.memory_granted_mib)

enum class NodeCondition { kUp, kLost };

struct Node {
  NodeId id;
  std::shared_ptr<const NodeFacts> facts;
  uint64_t incarnation = 0;  // of the agent: reports of an earlier one are stale
  NodeCondition condition = NodeCondition::kUp;
  Instant lost_at;  // or when a controller started since
  // since lost_at, all leases that end without the controller have ended
  bool leases_expired = false;
  bool draining = false;
  Instant drained_at;  // time of the last order to drain; ns == 0: not draining
  std::string reason;
  std::string pool = kDefaultPool;
  std::map<std::string, std::string> labels;
  std::set<std::string> reservations;  // that contain the node; computed from State::reservations
  std::vector<Gpu> gpus;               // parallel to facts->gpus
  std::vector<NumaLedger> numa;        // parallel to facts->numa
  std::vector<LeaseId> leases;         // that have not ended, in order of grant
  uint64_t signals_seen = 0;           // number of the newest fault report that was judged
  // Recent hardware failures since an operator last cleared them; the newest kFailuresMax
  std::vector<Instant> failures;
  // Number of its last change (State::node_changes); not part of the value
  uint64_t changed = 0;
};
GP_FIELDS(Node, v.id, v.facts, v.incarnation, v.condition, v.lost_at, v.leases_expired, v.draining,
          v.reason, v.gpus, v.numa, v.leases, v.pool, v.labels, v.signals_seen, v.failures,
          Since<17>(v.drained_at))

inline constexpr size_t kFailuresMax = 32;

const char* Name(NodeCondition condition);

}  // namespace gp
