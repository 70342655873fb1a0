// Commands that have nothing in common give the same state in whichever order they come.

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "domain/cluster/apply/apply.h"
#include "domain/cluster/decide/decide.h"
#include "tests/property/sequence.h"

namespace gp {
namespace {

struct Independent {
  std::vector<Command> commands;
  std::set<NodeId> nodes;
  std::set<JobId> jobs;

  // True, and now used, if neither was used before.
  bool Claim(const std::set<NodeId>& more_nodes, const std::set<JobId>& more_jobs) {
    const auto used = [](const auto& all) {
      return [&all](const auto& one) { return all.contains(one); };
    };
    if (std::ranges::any_of(more_nodes, used(nodes)) || std::ranges::any_of(more_jobs, used(jobs)))
      return false;
    nodes.insert(more_nodes.begin(), more_nodes.end());
    jobs.insert(more_jobs.begin(), more_jobs.end());
    return true;
  }
};

std::set<NodeId> NodesOf(const State& state, const Job& job) {
  std::set<NodeId> nodes;
  for (const LeaseId id : job.leases) nodes.insert(state.FindLease(id)->node);
  return nodes;
}

void AddForJob(Rng& rng, const State& state, const Job& job, Independent& all) {
  if (IsTerminal(job.state) || !all.Claim(NodesOf(state, job), {job.id})) return;
  if (!job.leases.empty()) return all.commands.push_back(StopJob{job.id, rng.Chance(1, 2)});
  if (job.state == JobState::kHeld) return all.commands.push_back(ReleaseJob{job.id});
  if (job.state == JobState::kBlocked) return all.commands.push_back(StopJob{job.id});
  all.commands.push_back(HoldJob{job.id});
}

void AddForNode(Rng& rng, const State& state, const Node& node, Independent& all) {
  std::set<NodeId> nodes = {node.id};
  std::set<JobId> jobs;
  for (const LeaseId id : node.leases) {
    const Job& job = *state.FindJob(state.FindLease(id)->job);
    jobs.insert(job.id);
    nodes.merge(NodesOf(state, job));
  }
  if (!all.Claim(nodes, jobs)) return;
  switch (rng.Below(3)) {
    case 0:
      return all.commands.push_back(
          ReportNode{node.id, node.incarnation, {}, {{0, rng.Chance(1, 2), false, ""}}});
    case 1: return all.commands.push_back(ExpireHeartbeat{node.id});
    default:
      return all.commands.push_back(
          ChangeService{node.id, -1, ServiceAction::kOffline, true, "test"});
  }
}

std::string After(State state, Instant at, const std::vector<Command>& commands) {
  for (const Command& command : commands) {
    const auto events = Decide(state, {at, "test", "", command});
    EXPECT_TRUE(events.has_value()) << events.error().message;
    if (!events) continue;
    for (const Event& event : *events) Apply(state, at, event);
  }
  return EncodeState(state);
}

TEST(Permutation, IndependentCommandsCommute) {
  int together = 0;
  for (uint64_t seed = 1; seed <= 400; ++seed) {
    Sequence sequence(seed);
    sequence.RunSteps();
    const State& state = sequence.ledger().state();
    Rng rng(seed);
    Independent all;
    for (const Node& node : state.nodes.all) {
      if (rng.Chance(1, 2)) AddForNode(rng, state, node, all);
    }
    for (const auto& [id, job] : state.jobs.all) AddForJob(rng, state, job, all);
    std::vector<Command> shuffled = all.commands;
    for (size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[rng.Below(i)]);
    together += shuffled.size() > 2 ? 1 : 0;
    ASSERT_EQ(After(state, sequence.now(), all.commands), After(state, sequence.now(), shuffled))
        << "the order of independent commands matters, seed " << seed;
  }
  EXPECT_GT(together, 200);
}

}  // namespace
}  // namespace gp
