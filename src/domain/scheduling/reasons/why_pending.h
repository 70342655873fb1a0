#pragma once

// Why a queued job does not run now, as data with numbers. Reasons are checked in the order of the
// enum: those that waiting cannot resolve come first (docs/reference/pending_reasons.md).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/plan.h"
#include "domain/scheduling/reasons/what_is_out.h"

namespace gp {

enum class PendingKind {
  kNoNodes,         // no node has ever joined
  kReservation,     // its advance reservation has not begun, is over, or ends too soon
  kNoSuchHardware,  // no node, or too few, could hold a rank even if empty and in service
  kNodesAway,       // enough nodes could, but are lost, draining or without healthy GPUs
  kQuota,           // a limit of its queues, or the guarantees of others
  kCapacity,        // too few GPUs are free
  kTopology,        // enough GPUs are free, but not where the job wants them
  kHost,            // GPUs are free, cores or memory are not
  kReserved,        // suitable nodes are reserved for another job
  kTurn,  // it fits: it starts with the next pass, or jobs before it in the queue order start first
};

struct PendingReason {
  PendingKind kind = PendingKind::kTurn;
  int nodes_able = 0;  // could hold a rank if empty
  int nodes_up = 0;    // of those, in service
  int nodes_now = 0;   // of those, could hold a rank now
  int gpus_free = 0;   // eligible now, on all nodes
  int gpus_asked = 0;  // requested by all ranks
  // One word for programs: "Resources", "ReservedForJob" (docs/reference/pending_reasons.md)
  std::string code;
  std::string text;  // one line, with the numbers and what would help
};

PendingReason WhyPending(const State& state, Instant at, const Job& job);

// The reasons of many jobs of one state. It computes placement once for each shape of jobs, and the
// plan of the next pass once for all. Not thread-safe.
class PendingReasons {
 public:
  // `plan`: the plan of the next or of the newest pass; it must outlive this. nullptr: it is
  // computed. `incidents`: as in WhatIsOut; they must outlive this.
  PendingReasons(const State& state, Instant at, const Plan* plan = nullptr,
                 const IncidentsByGpu* incidents = nullptr);

  // The most important reason: the same everywhere that reasons are shown.
  PendingReason Of(const Job& job) { return All(job).front(); }
  // All reasons, in the order of the enum; never empty.
  std::vector<PendingReason> All(const Job& job);

 private:
  struct Known {
    PendingReason reason;
    int variant = 0;  // the nearest variant, and its number of nodes
    int nodes = 0;
  };
  const Known& PlaceOf(const Job& job);
  PendingReason WithQueuePosition(const Job& job, PendingReason reason);

  const State& state_;
  const Instant at_;
  const Plan* plan_;
  const IncidentsByGpu* const incidents_;
  std::optional<Plan> own_plan_;        // set when a job that fits is first asked about
  std::optional<NodeClasses> classes_;  // set on first use
  std::map<JobShape, Known> known_;
};

const char* Name(PendingKind kind);
// The code of a reason that has no more specific one.
const char* CodeOf(PendingKind kind);

}  // namespace gp
