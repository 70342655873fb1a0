#pragma once

// How the time of each GPU is divided into rows of the usage ledger, and what is settled at an
// event.

#include <vector>

#include "domain/cluster/event.h"
#include "domain/cluster/state/state.h"
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
std::vector<UsagePart> DivisionOf(const State& state, const Node& node, int gpu);

// The row that a part of the GPU accrues to.
UsageKey RowOf(const State& state, const Node& node, int gpu, const UsagePart& part);

// The row of the GPU itself, however it is divided.
UsageKey InstalledRowOf(const Node& node, int gpu);

// Updates the rates of rows around one event: construct it before the event is applied, call Enter
// after.  Parts that the event divides differently accrue at their new rates from then on; rows
// with an unchanged rate are not touched.  Used by Apply on the writer's thread.
class Redivision {
 public:
  Redivision(State& state, Instant at, const Event& event);
  void Enter();

 private:
  State& state_;
  std::vector<NodeGpus> touched_;
  RowShares used_, installed_;  // what each row gains or loses
};

// The job's attempt has ended: unsaved time is forgiven if the platform or its hardware is to
// blame, otherwise charged.
void EndUse(State& state, JobId job, EndClass end);
// The job has written a checkpoint: its time until this report can no longer be lost.
void SaveUse(State& state, Instant at, JobId job);
// The job is forgotten; its time still counts.
void ForgetUse(State& state, JobId job);

// Sets the prices of the node's GPUs from the policy and the node's pool, name and labels.
void PriceGpus(const Policy& policy, Node& node);

// Time and money of a job until `now`, including what its leases have accrued since they were
// settled.
JobUse UseOf(const State& state, const Job& job, Instant now);

}  // namespace gp
