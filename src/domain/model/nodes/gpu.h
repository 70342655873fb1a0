#pragma once

// A GPU in the ledger: its fixed facts, its condition with legal transitions, and what is granted
// of it. "Allocated" is not a condition: it follows from the grants.

#include <cstdint>
#include <string>
#include <vector>

#include "base/fields.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/nodes/mig.h"

namespace gp {

inline constexpr int kWholeShare = 1000;     // thousandths of a GPU's compute
inline constexpr size_t kMpsLeasesMax = 48;  // of one GPU: its server accepts no more clients

// Whether a GPU is in the machine of its node.
enum class GpuPresence {
  kPresent,
  kMissing,  // the node does not report it; its index in the node is kept
  kRetired,  // it is in another node now, or an operator closed the incident of its absence
};

// A GPU is identified by its UUID. Its position in NodeFacts::gpus, the index that users see,
// belongs to that UUID for as long as the node exists: see MergeHardware in
// domain/cluster/nodes/node_hardware.h.
struct GpuFacts {
  std::string uuid;
  std::string model;
  std::string pci_bus_id;
  int minor = 0;           // /dev/nvidia<minor>; neither the index nor CUDA's order
  int numa = 0;            // position in NodeFacts::numa
  int64_t memory_mib = 0;  // usable: total minus what the driver reserves
  bool mps = false;        // the node can run MPS servers on it
  // Its possible MIG instances; not empty: it gives only MIG instances
  MigTable mig;
  GpuPresence presence = GpuPresence::kPresent;
  bool operator==(const GpuFacts&) const = default;
};
GP_FIELDS(GpuFacts, v.uuid, v.model, v.pci_bus_id, v.minor, v.numa, v.memory_mib, v.mps, v.mig,
          Since<17>(v.presence))

// What the size of a part of a GPU is computed from.
struct GpuSize {
  int64_t memory_mib = 0;
  MigTable mig;
  auto operator<=>(const GpuSize&) const = default;
};

enum class GpuCondition {
  kUnknown,  // just joined, not yet tested
  kTesting,
  kAvailable,    // may be granted
  kSuspect,      // unusual readings, or a test is due: no new grants
  kQuarantined,  // a fault; its leases are being ended
  kResetting,
  kOffline,   // out of service by an operator's order
  kLost,      // the GPU or its node does not respond
  kUnlinked,  // an NVLink is down: only for jobs with one GPU on the node
};

// Whether the state machine allows this transition.
bool CanBecome(GpuCondition from, GpuCondition to);

// How a GPU with grants is used; only one mode at a time.
enum class GpuMode { kFree, kWhole, kTimeslice, kMps, kMig };

struct Gpu {
  GpuCondition condition = GpuCondition::kUnknown;
  bool draining = false;
  std::string reason;  // why it is not simply available: who, what, in words
  Instant changed_at;

  GpuMode mode = GpuMode::kFree;
  // The user that shares it; empty unless it is shared in time slices or by MPS
  std::string owner;
  int share_granted = 0;
  int64_t memory_granted_mib = 0;
  MigSlices mig_slices = 0;     // granted
  std::vector<LeaseId> leases;  // in order of grant; exactly one where mode is kWhole
  // For one hour, in millionths of the currency; computed from the policy and the node
  int64_t price_micros = 0;
};
GP_FIELDS(Gpu, v.condition, v.draining, v.reason, v.changed_at, v.mode, v.owner, v.share_granted,
          v.memory_granted_mib, v.leases, v.mig_slices)

// Whether any new grant is allowed.
bool IsGrantable(const Gpu& gpu);
// Whether new grants are allowed for a job with that many GPUs on the node.
bool IsGrantable(const Gpu& gpu, int gpus);

// The GPU states that users see.
enum class ShownGpuState { kAvailable, kAllocated, kInUse, kDegraded, kResetting, kOffline };
ShownGpuState Shown(const Gpu& gpu, bool any_lease_started);

const char* Name(GpuCondition condition);
const char* Name(GpuMode mode);
const char* Name(ShownGpuState state);

}  // namespace gp
