#pragma once

// Why a queued job does not run now, as data with numbers.  Judged in the order of the enum: a
// reason that no waiting mends comes first (docs/reference/pending_reasons.md).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/node_classes.h"
#include "domain/scheduling/plan.h"
#include "domain/scheduling/what_is_out.h"

namespace gp {

enum class PendingKind {
  kNoNodes,         // no node has ever joined
  kReservation,     // its reservation has not begun, or is over, or ends too soon
  kNoSuchHardware,  // no node, or too few, could hold a rank even if empty and in service
  kNodesAway,       // they could, but are lost, draining or without healthy GPUs
  kQuota,           // a limit of its queues, or what others were guaranteed
  kCapacity,        // too few GPUs are free
  kTopology,        // enough GPUs are free, but not where the job wants them
  kHost,            // GPUs are there, cores or memory are not
  kReserved,        // nodes that would do are kept for another job
  kTurn,            // it fits: it starts with the next pass, or others before it are served first
};

struct PendingReason {
  PendingKind kind = PendingKind::kTurn;
  int nodes_able = 0;  // could hold a rank if empty
  int nodes_up = 0;    // of those, in service
  int nodes_now = 0;   // of those, could hold one now
  int gpus_free = 0;   // eligible now, on all nodes
  int gpus_asked = 0;  // by all ranks
  // One word for programs: "Resources", "ReservedForJob" (docs/reference/pending_reasons.md)
  std::string code;
  std::string text;  // one line, with the numbers and what would help
};

PendingReason WhyPending(const State& state, Instant at, const Job& job);

// The reasons of many jobs of one state; where they fit is worked out once per shape, and what the
// next pass does with those that fit once for all.
class PendingReasons {
 public:
  // `plan`: what the next pass does, or what the newest one did; it outlives this.  nullptr: it is
  // worked out. `incidents`: as in WhatIsOut; they outlive this.
  PendingReasons(const State& state, Instant at, const Plan* plan = nullptr,
                 const IncidentsByGpu* incidents = nullptr);

  // What weighs most: the same wherever it is asked for.
  PendingReason Of(const Job& job) { return All(job).front(); }
  // All that is in its way, in the order of the enum; never empty.
  std::vector<PendingReason> All(const Job& job);

 private:
  struct Known {
    PendingReason reason;
    int variant = 0;  // of the nearest way, and on how many nodes
    int nodes = 0;
  };
  const Known& PlaceOf(const Job& job);
  PendingReason WithQueuePosition(const Job& job, PendingReason reason);

  const State& state_;
  const Instant at_;
  const Plan* plan_;
  const IncidentsByGpu* const incidents_;
  std::optional<Plan> own_plan_;        // once one that fits was asked about
  std::optional<NodeClasses> classes_;  // once any was
  std::map<JobShape, Known> known_;
};

const char* Name(PendingKind kind);
// The code of a reason that has no closer one.
const char* CodeOf(PendingKind kind);

}  // namespace gp
