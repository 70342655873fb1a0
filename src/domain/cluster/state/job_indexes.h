#pragma once

// What each index of jobs holds of one job.  Whoever adds an index adds its row here: snapshots are
// indexed by it when they are read, and CheckInvariants compares what Apply keeps with it.

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "domain/cluster/state/jobs.h"
#include "domain/model/jobs/preemptible.h"

namespace gp {

// An entry of an index, and whether the job belongs there; no entry: the job cannot have one.
template <typename Entry>
struct IndexEntry {
  bool belongs = false;
  std::optional<Entry> entry;
};

// Calls visit(name, index, IndexEntry) for each index that follows from the job alone.  `jobs` is a
// JobStore or a const JobStore.
template <typename Jobs, typename Visit>
void VisitIndexes(Jobs& jobs, const Job& job, const Visit& visit) {
  using AtTime = std::optional<std::pair<Instant, JobId>>;
  const auto at_limit = [&job](Instant (*at)(const Job&)) {
    return job.attempts.empty() ? AtTime{} : AtTime{{at(job), job.id}};
  };
  const auto row = [&visit](const char* name, auto& index, bool belongs, auto entry) {
    visit(name, index, IndexEntry<typename decltype(entry)::value_type>{belongs, entry});
  };
  const std::optional id(job.id);
  const bool is_queued = job.state == JobState::kQueued;
  row("queued jobs", jobs.queued, is_queued, id);
  row("equivalence classes", jobs.equivalence_classes, is_queued,
      std::optional(std::pair(EquivalenceClassOf(job), KeyOf(job))));
  row("first waits", jobs.first_waits, is_queued && job.attempts.empty(),
      std::optional(std::pair(job.queue, std::pair(job.queued_at, job.id))));
  row("retries", jobs.retries, job.state == JobState::kRetryWait,
      AtTime{{job.eligible_at, job.id}});
  row("finished jobs", jobs.finished, IsTerminal(job.state), AtTime{{job.ended_at, job.id}});
  row("nominated jobs", jobs.nominated, !job.nominated_nodes.empty(), id);
  row("movable jobs", jobs.movable, IsMovable(job), id);
  row("jobs being moved", jobs.moving, !job.destination.empty(), id);
  row("recovering jobs", jobs.recovering, IsRecovering(job), id);
  row("moved jobs", jobs.moved, job.moved_at.ns != 0, AtTime{{job.moved_at, job.id}});
  row("evictable jobs", jobs.evictable, IsEvictable(job),
      std::optional(std::pair(PoolClassOf(job), job.id)));
  row("preemptions", jobs.preemptions, IsBeingPreempted(job),
      std::optional(std::pair(job.preempted_for, job.id)));
  row("time limits", jobs.limits, RunsAgainstLimit(job), at_limit(LimitReachedAt));
  row("notices of time limits", jobs.limit_notices, RunsAgainstLimit(job) && !job.is_limit_notified,
      at_limit(LimitNoticeAt));
}

// The same of an index that is one set, and of one with a set for each group, none of them empty.
template <typename Entry>
void Insert(std::set<Entry>& index, const Entry& entry) {
  index.insert(entry);
}
template <typename Group, typename Entry>
void Insert(std::map<Group, std::set<Entry>>& index, const std::pair<Group, Entry>& entry) {
  index[entry.first].insert(entry.second);
}
template <typename Entry>
bool Contains(const std::set<Entry>& index, const Entry& entry) {
  return index.contains(entry);
}
template <typename Group, typename Entry>
bool Contains(const std::map<Group, std::set<Entry>>& index, const std::pair<Group, Entry>& entry) {
  const auto group = index.find(entry.first);
  return group != index.end() && group->second.contains(entry.second);
}
template <typename Entry>
size_t SizeOf(const std::set<Entry>& index) {
  return index.size();
}
template <typename Group, typename Entry>
size_t SizeOf(const std::map<Group, std::set<Entry>>& index) {
  size_t size = 0;
  for (const auto& [group, entries] : index) size += entries.size();
  return size;
}
template <typename Entry>
bool HasEmptyGroup(const std::set<Entry>&) {
  return false;
}
template <typename Group, typename Entry>
bool HasEmptyGroup(const std::map<Group, std::set<Entry>>& index) {
  return std::ranges::any_of(index, [](const auto& group) { return group.second.empty(); });
}

}  // namespace gp
