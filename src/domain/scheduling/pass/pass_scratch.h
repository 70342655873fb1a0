#pragma once

// What the steps of one pass share.

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "domain/cluster/quotas/holdings.h"
#include "domain/scheduling/backfill_reservations.h"
#include "domain/scheduling/image_nodes.h"
#include "domain/scheduling/plan.h"
#include "domain/scheduling/queue_order.h"
#include "domain/scheduling/rankings.h"
#include "domain/scheduling/ready_times.h"
#include "domain/scheduling/scratch_nodes.h"
#include "domain/scheduling/victims/preemption_candidates.h"

namespace gp {

// What a pass plans for, and the planner's caches: they must be up to date with the state.
struct PassInput {
  const State& state;
  Instant at;
  NodeClasses& classes;
  Rankings& rankings;
  ReadyTimes& ready_times;
};

// The cluster as the pass has planned it so far, and the plan. What a step knows of other steps, it
// reads here. The functions change all fields that belong together: whoever places a job or holds
// GPUs calls them. The state must not change meanwhile. Not thread-safe.
struct PassScratch : PassInput {
  explicit PassScratch(const PassInput& input);
  // Puts the nodes back into the classes of the state.
  ~PassScratch();
  PassScratch(const PassScratch&) = delete;
  PassScratch& operator=(const PassScratch&) = delete;

  // Plans that the job starts there now. REQUIRES: the job lives as long as the pass.
  void Place(const Job& job, PlaceGang place);
  // The same on these nodes, with the best GPUs of each. REQUIRES: a rank fits on each of them.
  void PlaceOnNodes(const Job& job, const ShapeRanking::Pick& pick, int variant = 0);
  // Holds the placement for later: no other job gets it.
  void HoldBack(const Job& job, PlaceGang place);

  // Whether a quota stops the job now. If time alone will end that, plans to look again.
  bool IsStoppedByQuota(const Job& job);
  // Counts the job on its quotas once: other jobs cannot use what is planned or reserved for it.
  void CountOnQuotas(const Job& job);

  // The time of the next pass is this one at the latest.
  void LookAgainAt(Instant when);

  // The job as it would be placed: its variant, on this number of nodes. Lives as long as the pass.
  const Job& AsPlaced(const Job& job, int variant, int nodes_wanted);

  ScratchNodes nodes;  // `classes` has the classes of these
  QueueOrder queue_order;
  BackfillReservations backfill;  // also the nodes of nominated jobs
  ImageNodes image_nodes;
  Holdings planned;         // added to what the state holds on accounts
  std::set<JobId> counted;  // jobs counted in `planned`
  std::vector<const Job*> placed;
  std::deque<Job> variants;                      // jobs with variants, as placed
  std::set<std::string> pools_with_reservation;  // with a backfill reservation in this pass
  // Which jobs may be preempted; set when a job first needs victims
  std::optional<PreemptionCandidates> preemption_candidates;
  // Jobs that were handled before the queue: it passes them over
  std::set<JobId> settled;
  // Nominated jobs whose victims are still running: they take no other nodes and no more victims
  std::set<JobId> awaiting_victims;
  Plan plan;

 private:
  void Hold(const Job& job, const std::vector<RankPlacement>& ranks);
};

// Whether the node takes new work of this job.
bool IsOpenTo(const Node& node, const Job& job);

// What the job would be granted of a GPU of the node.
GpuGrant GrantOn(const Node& node, const Job& job, int gpu);

}  // namespace gp
