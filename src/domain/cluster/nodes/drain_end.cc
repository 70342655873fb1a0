#include "domain/cluster/nodes/drain_end.h"

#include <algorithm>
#include <set>

#include "domain/model/jobs/job.h"

namespace gp {
namespace {

// A job that is stopped at the deadline has its grace, as at its time limit.
Instant LeftAfter(Instant deadline, const JobSpec& spec) {
  return deadline + spec.policy.grace + kEndMargin;
}

}  // namespace

DrainEnd EndOfDrain(const State& state, const Node& node) {
  std::set<JobId> jobs;
  for (const LeaseId lease : node.leases) jobs.insert(state.FindLease(lease)->job);
  const auto deadline = state.nodes.drain_deadlines.find({node.id, -1});
  DrainEnd end;
  end.jobs = static_cast<int>(jobs.size());
  for (const JobId id : jobs) {
    const Job& job = *state.FindJob(id);
    Instant left = LatestEnd(job);
    if (deadline != state.nodes.drain_deadlines.end())
      left = std::min(left, LeftAfter(deadline->second, *job.spec));
    if (left == kNever) end.endless.push_back(id);
    end.at = std::max(end.at, left);
  }
  return end;
}

}  // namespace gp
