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

// The running jobs that may be interrupted at `at`, looked up once for a pass.
class Interruptible {
 public:
  Interruptible(const State& state, Instant at);

  struct Candidate {
    const Job* job = nullptr;
    Standing standing;
    int64_t attained_gpu_ms = 0;
  };
  // Who goes first: the lowest class, the highest level, who has had most, the last submitted.
  const std::vector<Candidate>& in_order() const { return candidates_; }
  // Whether the job outranks any.
  bool AnyFor(const Standing& job) const;
  // Whether it may come to outrank some preemptible job that runs, by time alone.
  bool AnyLaterFor(const Standing& job) const;
  // When the next preemptible job will have run for min_run; far away: none will.
  Instant ripe_at() const { return ripe_at_; }
  void Remove(JobId job);

 private:
  std::vector<Candidate> candidates_;
  Instant ripe_at_{INT64_MAX};
  std::optional<int> later_class_;  // the lowest of the preemptible jobs that run, interruptible yet or not
};

struct Victims {
  std::vector<JobId> jobs;    // in order of id
  std::vector<NodeId> nodes;  // on which the job fits when they have gone
};

// `reserved` nodes are left out.  Of the nodes on which room can be made the cheapest are taken: victims
// of the lowest class, then the fewest GPUs interrupted, then the fewest jobs, then the lower node id.
// nullopt: there is no such set.
std::optional<Victims> FindVictims(const State& state, const ScratchNodes& nodes, const Interruptible& interruptible,
                                   const std::set<NodeId>& reserved, const Job& job, Instant at);

}  // namespace gp
