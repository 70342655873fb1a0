#pragma once

// A GPU as the ledger sees it: facts that stay, a condition with legal transitions, and what of it
// is granted.  "Allocated" is not a condition: it follows from the grants.

#include <cstdint>
#include <string>
#include <vector>

#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/mig.h"

namespace gp {

inline constexpr int kWholeShare = 1000;     // thousandths of a GPU's compute
inline constexpr size_t kMpsLeasesMax = 48;  // of one GPU: more clients its server does not take

// Whether a GPU is in its node's machine.
enum class GpuPresence {
  kPresent,
  kMissing,  // the node reports its GPUs without it; its place in the node is kept
  kRetired,  // it is in another node now, or an operator has closed the incident of its absence
};

// A GPU is its UUID.  Its position in NodeFacts::gpus, the index that people see, belongs to that
// UUID as long as the node exists: see MergeHardware in domain/cluster/node_hardware.h.
struct GpuFacts {
  std::string uuid;
  std::string model;
  std::string pci_bus_id;
  int minor = 0;           // /dev/nvidia<minor>; neither the index nor CUDA's order
  int numa = 0;            // position in NodeFacts::numa
  int64_t memory_mib = 0;  // usable: total less what the driver keeps
  bool mps = false;        // its node can run MPS servers on it
  // What it can be divided into; not empty: it gives nothing but MIG instances
  MigTable mig;
  GpuPresence presence = GpuPresence::kPresent;
  bool operator==(const GpuFacts&) const = default;
};

// What a part of a GPU is reckoned by.
struct GpuSize {
  int64_t memory_mib = 0;
  MigTable mig;
  auto operator<=>(const GpuSize&) const = default;
};

enum class GpuCondition {
  kUnknown,  // just joined, not yet tested
  kTesting,
  kAvailable,    // may be granted
  kSuspect,      // odd readings, or to be tested: no new grants
  kQuarantined,  // a fault; its leases are being ended
  kResetting,
  kOffline,   // taken out by a person or for service
  kLost,      // the GPU or its node does not answer
  kUnlinked,  // an NVLink is down: may be granted to work of one GPU
};

// Whether the state machine has an edge between the two.
bool CanBecome(GpuCondition from, GpuCondition to);

// How a GPU with grants is used; never two at a time.
enum class GpuMode { kFree, kWhole, kTimeslice, kMps, kMig };

struct Gpu {
  GpuCondition condition = GpuCondition::kUnknown;
  bool draining = false;
  std::string reason;  // why it is not simply available: who, what, in words
  Instant changed_at;

  GpuMode mode = GpuMode::kFree;
  // The trust domain (user) that shares it; empty unless shared in turns or by MPS
  std::string owner;
  int share_granted = 0;
  int64_t memory_granted_mib = 0;
  MigSlices mig_slices = 0;     // granted
  std::vector<LeaseId> leases;  // in order of grant; exactly one where mode is kWhole
  // Of an hour of it, in millionths of the currency; follows from the policy and its node
  int64_t price_micros = 0;
};

// Whether new grants are allowed at all.
bool IsGrantable(const Gpu& gpu);
// Whether they are for work that takes so many GPUs of the node.
bool IsGrantable(const Gpu& gpu, int gpus);

// The states of the requirement, as users read them.
enum class ShownGpuState { kAvailable, kAllocated, kInUse, kDegraded, kResetting, kOffline };
ShownGpuState Shown(const Gpu& gpu, bool any_lease_started);

const char* Name(GpuCondition condition);
const char* Name(GpuMode mode);
const char* Name(ShownGpuState state);

}  // namespace gp
