// Jobs are moved elsewhere for others, as the engine proposes it and at random.

#include <iterator>
#include <set>

#include "domain/cluster/moves.h"
#include "domain/defragmenting/find_moves.h"
#include "tests/property/sequence.h"

namespace gp {

bool Sequence::MoveAny() {
  if (rng_.Chance(1, 4)) return MoveAtRandom();
  const State& state = ledger_.state();
  Planner planner;
  const Plan pass = planner.Schedule(state, now_);
  MoveFinder finder(state, now_, planner.classes(), pass);
  for (const JobId id : state.jobs.queued) {
    const auto plan = finder.Find(*state.FindJob(id));
    if (!plan) continue;
    if (Tell(plan->moves) == nullptr)
      ledger_.Break("moves that were found are refused: " + ledger_.last_refusal());
    return true;
  }
  return false;
}

// Somebody who may be moved, for somebody who waits, to where there may be no room: that is seen
// when it is to be placed.  Now and then what must be refused.
bool Sequence::MoveAtRandom() {
  const State& state = ledger_.state();
  if (state.jobs.movable.empty() || state.jobs.queued.empty() || rng_.Chance(1, 8)) {
    const JobId by = AnyJob();
    return Tell(MoveJobs{by, {NodeId{0}}, {{AnyJob(), {{NodeId{0}, 1}}}}}) != nullptr;
  }
  const auto any_of = [this](const std::set<JobId>& jobs) {
    auto job = jobs.begin();
    std::advance(job, rng_.Below(jobs.size()));
    return *job;
  };
  const Job& by = *state.FindJob(any_of(state.jobs.queued));
  const Job& job = *state.FindJob(any_of(state.jobs.movable));
  MoveJobs command{by.id, {}, {{job.id, {}}}};
  const auto first = static_cast<uint32_t>(rng_.Below(machines_.size()));
  const auto node = [&](int rank) {
    return NodeId{(first + static_cast<uint32_t>(rank)) %
                  static_cast<uint32_t>(state.nodes.all.size())};
  };
  for (int rank = 0; rank < by.spec->resources.nodes; ++rank) command.nodes.push_back(node(rank));
  for (int rank = 0; rank < job.spec->resources.nodes; ++rank) {
    RankTarget& target = command.moves.front().destination.emplace_back();
    target.node = node(rank);
    const uint64_t lowest = rng_.Below(3);
    for (int gpu = 0; gpu < job.spec->resources.gpus.count; ++gpu)
      target.gpus |= uint64_t{1} << (lowest + static_cast<uint64_t>(gpu)) % 64;
  }
  return Tell(std::move(command)) != nullptr;
}

// Only who agreed, for one that waits, not before its time and not too often.
void Sequence::CheckMoved(const JobMoveOrdered& order) {
  const Job& job = *ledger_.state().FindJob(order.job);
  const Job& by = *ledger_.state().FindJob(order.by);
  const auto expect = [&](bool holds, const char* what) {
    if (!holds) ledger_.Break(ToText(order.job) + " was moved " + what);
  };
  expect(job.spec->policy.movable, "though it is not movable");
  expect(by.state == JobState::kQueued, "for nobody who waits");
  expect(now_ - job.attempts.back().placed_at >= policy_.min_run, "before it had run for min_run");
  expect(static_cast<int>(order.destination.size()) == job.spec->resources.nodes, "in part");
  expect(static_cast<int>(ledger_.state().jobs.moved.size()) <= policy_.moves_per_hour,
         "beyond moves_per_hour");
}

}  // namespace gp
