#pragma once

// Why a job waits, and what would start it: `jobs explain`, `run --plan`
// (docs/adr/0021-explaining.md).

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/command.h"
#include "domain/cluster/state.h"
#include "domain/scheduling/why_pending.h"

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
  kTimeLimit,    // a shorter one: it leaves before others need the nodes that are kept for them
  kPreemptible,  // it may be interrupted itself
  kPriority,     // higher: others are interrupted
  kMove,         // others are moved elsewhere
  kWait,         // until others have ended
};
const char* Name(ChangeKind kind);

// One thing that, changed as little as this, starts the job now.
struct Change {
  ChangeKind kind = ChangeKind::kFewerGpus;
  std::shared_ptr<const JobSpec> spec;  // as it would have to be; null: as it is
  std::string queue;                    // where it would have to stand
  std::vector<JobId> interrupts;        // who would be told to give way for it
  std::vector<JobId> moves;             // who would go on elsewhere
  std::vector<JobId> waits_for;         // who must end first
  Instant starts_by;                    // kWait: by their time limits; ns == 0: not known
  std::string text;                     // one line
};

struct Holder {
  std::string user;
  std::string queue;
  int64_t share = 0;  // thousandths of GPUs, on nodes that could hold the job
};

struct Explanation {
  std::optional<PlaceGang> place;      // where it starts with the next pass
  std::vector<PendingReason> reasons;  // in the order of PendingKind; none: it starts
  // Jobs of its pool whose turn is before; nullopt: too many to count
  std::optional<int64_t> ahead;
  std::vector<Change> changes;  // in the order of ChangeKind
  std::vector<Holder> holders;  // most first
  // By name: kept for it, as it has waited too long or others give way for it
  std::vector<std::string> kept_nodes;
  Instant starts_by;  // there, at the latest; ns == 0: not known
};

// REQUIRES: the job is queued, or would be (its id is not known to the state then).
// `incidents`: as in WhatIsOut.
Explanation Explain(const State& state, Instant at, const Job& job,
                    const IncidentsByGpu* incidents = nullptr);

}  // namespace gp
