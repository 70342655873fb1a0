#pragma once

// A lease: what one rank of one job attempt holds on one node. Its id is never used again, so it
// also serves as the fence: two attempts of a job never hold live leases.

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/fields.h"
#include "base/time.h"
#include "domain/model/ids.h"
#include "domain/model/jobs/end_class.h"
#include "domain/model/nodes/gpu.h"
#include "domain/model/nodes/use.h"

namespace gp {

struct GpuGrant {
  int gpu = 0;  // position in the node
  int share = kWholeShare;
  int64_t memory_mib = 0;
  int mig_profile = kNoMig;  // of the MIG instance; kNoMig: none
  int mig_start = kNoMig;    // its first memory slice
  bool operator==(const GpuGrant&) const = default;
};
GP_FIELDS(GpuGrant, v.gpu, v.share, v.memory_mib, v.mig_profile, v.mig_start)

struct NumaGrant {
  int numa = 0;  // position in the node
  CpuSet cpus;   // reserved cores; empty: none reserved
  int64_t memory_mib = 0;
  bool operator==(const NumaGrant&) const = default;
};
GP_FIELDS(NumaGrant, v.numa, v.cpus, v.memory_mib)

// What one rank of a job is granted on a node.
struct RankPlacement {
  NodeId node;
  std::vector<GpuGrant> gpus;
  std::vector<NumaGrant> numa;
  bool operator==(const RankPlacement&) const = default;
};
GP_FIELDS(RankPlacement, v.node, v.gpus, v.numa)

// Where one rank of a job resumes: its cores and memory follow from the GPUs.
struct RankTarget {
  NodeId node;
  uint64_t gpus = 0;  // bit i: GPU i of the node
  bool operator==(const RankTarget&) const = default;
};
GP_FIELDS(RankTarget, v.node, v.gpus)

enum class LeasePhase { kGranted, kStarted };
enum class StopOrder { kNone, kGraceful, kKill };

struct Lease {
  LeaseId id;
  JobId job;
  int attempt = 0;
  int rank = 0;
  NodeId node;
  GpuMode mode = GpuMode::kWhole;
  std::vector<GpuGrant> gpus;   // in order of gpu
  std::vector<NumaGrant> numa;  // in order of numa
  bool stop_on_loss = false;    // the supervisor stops the job if the lease is not renewed
  LeasePhase phase = LeasePhase::kGranted;
  StopOrder stop = StopOrder::kNone;
  Instant metered_until;  // its GPU time up to then is included in the job's total
  RankUse use;            // measured use of its grants
  RankUse reported;       // as last reported by its node
  // Measured time for which its GPUs have been idle until now
  int64_t idle_ms = 0;
  bool operator==(const Lease&) const = default;
};
GP_FIELDS(Lease, v.id, v.job, v.attempt, v.rank, v.node, v.mode, v.gpus, v.numa, v.stop_on_loss,
          v.phase, v.stop, v.metered_until, v.use, v.reported, v.idle_ms)

// How a lease ended.
enum class LeaseEnd {
  kExited,          // the program ended
  kStopped,         // by an order
  kLeaseLost,       // not renewed in time
  kOutOfMemory,     // host memory limit
  kCouldNotStart,   // the program could not be run
  kSupervisorLost,  // the platform lost control of it
  kNodeLost,        // its node is lost
  kPlatformFault,   // the platform could not provide what it needs to start
};

struct LeaseOutcome {
  LeaseEnd end = LeaseEnd::kExited;
  int exit_code = 0;
  int signal = 0;
  std::string message;
  LogClues clues = {};
  bool operator==(const LeaseOutcome&) const = default;
};
GP_FIELDS(LeaseOutcome, v.end, v.exit_code, v.signal, v.message, v.clues)

// Such an end does not count as one of the job's own retries.
bool IsPlatformFault(LeaseEnd end);
const char* Name(LeaseEnd end);

}  // namespace gp
