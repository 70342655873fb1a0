#pragma once

// Why a queued job does not run now, as data with numbers.  Judged in the order of the enum: a
// reason that no waiting mends comes first (docs/reference/pending_reasons.md).

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/kept_nodes.h"
#include "domain/scheduling/node_classes.h"

namespace gp {

enum class PendingKind {
  kNoNodes,         // no node has ever joined
  kNoSuchHardware,  // no node, or too few, could hold a rank even if empty
  kNodesAway,       // they could, but are lost, draining or without healthy GPUs
  kReservation,     // its reservation has not begun, or is over, or ends too soon
  kQuota,           // a limit of its queues, or what others were guaranteed
  kCapacity,        // too few GPUs are free
  kTopology,        // enough GPUs are free, but not where the job wants them
  kHost,            // GPUs are there, cores or memory are not
  kReserved,        // nodes that would do are kept for another job
  kTurn,            // it fits: others before it are served first
};

struct PendingReason {
  PendingKind kind = PendingKind::kTurn;
  int nodes_able = 0;   // could hold a rank if empty
  int nodes_up = 0;     // of those, in service
  int nodes_now = 0;    // of those, could hold one now
  int gpus_free = 0;    // eligible now, on all nodes
  int gpus_asked = 0;   // by all ranks
  std::string text;     // one line, with the numbers and what would help
};

PendingReason WhyPending(const State& state, Instant at, const Job& job);
// `classes`: of the state's nodes.
PendingReason WhyPending(const State& state, Instant at, const NodeClasses& classes, const Job& job);

// All that is in its way, in the order of the enum.  `classes` and `kept`: of a Planner and its last Plan.
std::vector<PendingReason> AllReasons(const State& state, Instant at, const NodeClasses& classes,
                                      const std::map<NodeId, Kept>& kept, const Job& job);

// The reasons of many jobs of one state; where they fit is worked out once per shape.
class PendingReasons {
 public:
  PendingReasons(const State& state, Instant at) : state_(state), at_(at) {}
  PendingReason Of(const Job& job);

 private:
  const State& state_;
  const Instant at_;
  std::optional<NodeClasses> classes_;  // once the first reason was asked for
  struct Known {
    PendingReason reason;
    int variant = 0;  // of the nearest way, and on how many nodes
    int nodes = 0;
  };
  std::map<JobShape, Known> known_;
};

const char* Name(PendingKind kind);

}  // namespace gp
