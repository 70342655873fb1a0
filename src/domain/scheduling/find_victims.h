#pragma once

// Whom to interrupt so that a job fits: whole gangs, and none that could be spared.

#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "domain/cluster/preemption.h"
#include "domain/cluster/state.h"
#include "domain/scheduling/scratch_nodes.h"

namespace gp {

// The running jobs that may give way, looked up once for a pass.
class Interruptible {
 public:
  Interruptible(const State& state, Instant at);

  // Who goes first: the lowest class, the highest level, who has had most, the last submitted.
  const std::vector<const Job*>& in_order() const { return candidates_; }
  const Takings& takings() const { return takings_; }
  // Whether the job may take the place of any.
  bool AnyFor(const Job& job) const;
  // The first instant at which it may come to that by time alone; ns == 0: none.
  Instant NextFor(const Job& job) const;
  // The victim is told to leave for the job.
  void Take(const Job& by, JobId victim);
  // The job gets a place without interrupting anybody.
  void CountPlaced(const Job& job) { takings_.CountPlaced(job); }

 private:
  const State& state_;
  const Instant at_;
  std::vector<const Job*> candidates_;
  Takings takings_;
};

struct Victims {
  std::vector<JobId> jobs;    // in order of id
  std::vector<NodeId> nodes;  // on which the job fits when they have gone
};

// `reserved` nodes are left out.  Of the nodes on which room can be made the cheapest are taken: victims
// of the lowest class, then the fewest GPUs interrupted, then the fewest jobs, then the lower node id.
// nullopt: there is no such set.
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, const Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job);

}  // namespace gp
