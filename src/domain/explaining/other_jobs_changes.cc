#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/preemption.h"
#include "domain/explaining/change_steps.h"
#include "domain/explaining/names.h"

namespace gp {
namespace {

constexpr size_t kEndsTried = 512;  // running jobs, the earliest ends first
constexpr size_t kSparesTried = 16;

// Running jobs of its pool, by their ends.
std::vector<const Job*> ByEnd(ChangeSearch& search) {
  const State& state = search.what_if().state();
  std::vector<const Job*> running;
  std::set<JobId> seen;
  for (const auto& [id, lease] : state.leases.all) {
    const Job& other = *state.FindJob(lease.job);
    if (other.pool == search.job().pool && seen.insert(other.id).second) running.push_back(&other);
  }
  const auto order = [](const Job* job) { return std::pair(LatestEnd(*job), job->id); };
  const size_t count = std::min(running.size(), kEndsTried);
  std::ranges::partial_sort(running, running.begin() + static_cast<std::ptrdiff_t>(count), {},
                            order);
  running.resize(count);
  return running;
}

// The end of the last one is decisive, and most of those before it run on other nodes.
void SpareWhoIsElsewhere(std::vector<const Job*>& running, ChangeSearch& search) {
  const State& state = search.what_if().state();
  std::set<NodeId> nodes;
  const auto node_of = [&](LeaseId id) { return state.FindLease(id)->node; };
  for (const LeaseId id : running.back()->leases) nodes.insert(node_of(id));
  std::vector<const Job*> near;
  std::ranges::copy_if(running, std::back_inserter(near), [&](const Job* other) {
    return std::ranges::any_of(other->leases,
                               [&](LeaseId id) { return nodes.contains(node_of(id)); });
  });
  if (search.what_if().FitsWithout(search.job(), near)) running = std::move(near);
}

void AddWait(const std::vector<const Job*>& running, ChangeSearch& search) {
  Change change;
  change.kind = ChangeKind::kWait;
  change.queue = search.job().queue;
  Instant latest{0};
  for (const Job* other : running) {
    change.waits_for.push_back(other->id);
    latest = std::max(latest, LatestEnd(*other));
  }
  if (latest != kNever) change.starts_by = latest;
  std::ranges::sort(change.waits_for);
  change.text =
      "wait until " + Names(change.waits_for) +
      (running.size() == 1 ? " has ended" : " have ended") +
      (change.starts_by.ns == 0
           ? ""
           : ", at " + ToRfc3339(WallOf(search.what_if().state().time, latest)) + " at the latest");
  search.Add(std::move(change));
}

}  // namespace

void TryMoves(ChangeSearch& search) {
  Change change;
  change.kind = ChangeKind::kMove;
  change.queue = search.job().queue;
  change.moves = search.what_if().Move(search.job());
  if (change.moves.empty()) return;
  change.text = "move " + Names(change.moves) + " elsewhere (gpu-platform defrag plan)";
  search.Add(std::move(change));
}

// The smallest number of running jobs, in the order of their ends, that must end before it fits.
void TryWait(ChangeSearch& search) {
  const WhatIf& what_if = search.what_if();
  const Job& job = search.job();
  std::vector<const Job*> running = ByEnd(search);
  // Before the next pass it may fit without any end; then no job needs to end first.
  if (running.empty() || what_if.FitsWithout(job, {}) || !what_if.FitsWithout(job, running)) return;
  size_t bad = 0;
  size_t good = running.size();
  while (good - bad > 1) {
    const size_t middle = bad + (good - bad) / 2;
    const std::vector<const Job*> first(running.begin(),
                                        running.begin() + static_cast<std::ptrdiff_t>(middle));
    (what_if.FitsWithout(job, first) ? good : bad) = middle;
  }
  running.resize(good);
  SpareWhoIsElsewhere(running, search);
  for (size_t i = running.size(), tried = 0; i-- > 0 && tried < kSparesTried; ++tried) {
    std::vector<const Job*> others = running;
    others.erase(others.begin() + static_cast<std::ptrdiff_t>(i));
    if (what_if.FitsWithout(job, others)) running = std::move(others);
  }
  AddWait(running, search);
}

}  // namespace gp
