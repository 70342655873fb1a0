#pragma once

// How the ledger's GPUs are divided, and what of it is settled at an event.

#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state.h"
#include "domain/metering/gpu_split.h"
#include "domain/metering/row_shares.h"

namespace gp {

// Some of a node's GPUs.
struct NodeGpus {
  NodeId node;
  uint64_t gpus = 0;  // bit i: GPU i
};

inline constexpr uint64_t kAllGpus = ~uint64_t{0};

// How a GPU is divided now.
std::vector<GpuPart> DivisionOf(const State& state, const Node& node, int gpu);

// The row in which a part of it runs up.
UsageKey RowOf(const State& state, const Node& node, int gpu, const GpuPart& part);

// The row of the GPU itself, however it is divided.
UsageKey InstalledRowOf(const Node& node, int gpu);

// Made before an event is applied, and entered after it: what the event divides anew runs up as it
// is from then on.  Rows whose rate stays what it was are not touched.
class Redivision {
 public:
  Redivision(State& state, Instant at, const Event& event);
  void Enter();

 private:
  State& state_;
  std::vector<NodeGpus> touched_;
  RowShares used_, installed_;  // what rows gain by it, and lose
};

// Its attempt has ended: what was not saved is forgiven where the platform or its hardware is to
// blame, and else paid.
void EndUse(State& state, JobId job, EndClass end);
// It has written something to go on from: what it had until this was told is not lost any more.
void SaveUse(State& state, Instant at, JobId job);
// It is no longer remembered; its time still counts.
void ForgetUse(State& state, JobId job);

// The prices of the node's GPUs follow from the policy and from what is said of the node.
void PriceGpus(const Policy& policy, Node& node);

// Time and money of a job until then, with what its leases have run up since they were settled.
JobUse UseOf(const State& state, const Job& job, Instant now);

}  // namespace gp
