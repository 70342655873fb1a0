#pragma once

// Why a job is pending, and what would start it: `jobs explain`, `run --plan`
// (docs/adr/0021-explaining.md).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/state/state.h"
#include "domain/scheduling/reasons/why_pending.h"

namespace gp {

enum class ChangeKind {
  kFewerGpus,  // of each node
  kFewerNodes,
  kTopology,     // weaker, or across NUMA nodes
  kModel,        // another one
  kGpuMemory,    // smaller GPUs too
  kHost,         // fewer cores or less memory
  kNodeLabels,   // any node
  kQueue,        // another one
  kTimeLimit,    // a shorter one, so that it ends before reserved nodes are needed
  kPreemptible,  // it becomes preemptible itself
  kPriority,     // higher, so that it can preempt others
  kMove,         // others are moved elsewhere
  kWait,         // until others have ended
};
const char* Name(ChangeKind kind);

// The smallest change of one thing that starts the job now.
struct Change {
  ChangeKind kind = ChangeKind::kFewerGpus;
  std::shared_ptr<const JobSpec> spec;  // with the change; null: as it is
  std::string queue;                    // the queue of the job with the change
  std::vector<JobId> interrupts;        // jobs that it would preempt
  std::vector<JobId> moves;             // jobs that would be moved elsewhere
  std::vector<JobId> waits_for;         // jobs that must end first
  Instant starts_by;                    // kWait: from their time limits; ns == 0: not known
  std::string text;                     // one line
};

struct Holder {
  std::string user;
  std::string queue;
  int64_t share = 0;  // thousandths of GPUs, on nodes that could hold the job
};

struct Explanation {
  std::optional<PlaceGang> place;      // its placement in the next pass
  std::vector<PendingReason> reasons;  // in the order of PendingKind; empty: it starts
  // Jobs of its pool that are before it in queue order; nullopt: too many to count.
  std::optional<int64_t> ahead;
  std::vector<Change> changes;  // in the order of ChangeKind
  std::vector<Holder> holders;  // most first
  // Names of nodes that are reserved for it, as a backfill reservation or while its victims leave.
  std::vector<std::string> kept_nodes;
  Instant starts_by;  // latest start on these nodes; ns == 0: not known
};

// REQUIRES: the job is queued, or is not submitted yet (the state does not know its id).
// `incidents`: as in WhatIsOut.
Explanation Explain(const State& state, Instant at, const Job& job,
                    const IncidentsByGpu* incidents = nullptr);

}  // namespace gp
