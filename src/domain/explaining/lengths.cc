#include "domain/explaining/lengths.h"

#include <algorithm>

namespace gp {
namespace {

JobShape ShapeOfRun(const PastRun& run) {
  Job job;
  job.spec = run.spec;
  job.user.name = run.user;
  job.pool = run.pool;
  return ShapeOf(job);
}

template <typename Groups>
void Sort(Groups& groups) {
  for (auto& [key, group] : groups) std::ranges::sort(group.runs);
}

template <typename Groups, typename Key>
const AlikeRuns* Enough(const Groups& groups, const Key& key) {
  const auto found = groups.find(key);
  return found != groups.end() && found->second.runs.size() >= kAlikeEnough ? &found->second
                                                                            : nullptr;
}

// The mean, not the median: a few long jobs make up much of the total work.
template <typename Iterator>
Duration MeanOf(Iterator begin, Iterator end) {
  Duration mean;
  for (auto run = begin; run != end; ++run) mean = mean + Duration{run->first.ns / (end - begin)};
  return mean;
}

}  // namespace

Lengths::Lengths(const std::vector<PastRun>& past) {
  for (size_t i = 0; i < past.size(); ++i) {
    const PastRun& run = past[i];
    const std::pair one(run.length, i);
    if (!run.spec->name.empty()) by_name_[{run.user, run.spec->name}].runs.push_back(one);
    by_shape_[{run.user, ShapeOfRun(run)}].runs.push_back(one);
    by_user_[run.user].runs.push_back(one);
    by_queue_[run.queue].runs.push_back(one);
    all_.runs.push_back(one);
  }
  Sort(by_name_);
  Sort(by_shape_);
  Sort(by_user_);
  Sort(by_queue_);
  std::ranges::sort(all_.runs);
}

const AlikeRuns* Lengths::Alike(const Job& job) const {
  const std::string& user = job.user.name;
  if (const auto* named = Enough(by_name_, std::pair(user, job.spec->name))) return named;
  if (const auto* shaped = Enough(by_shape_, std::pair(user, ShapeOf(job)))) return shaped;
  if (const auto* own = Enough(by_user_, user)) return own;
  if (const auto* queued = Enough(by_queue_, job.queue)) return queued;
  return all_.runs.size() >= kAlikeEnough ? &all_ : nullptr;
}

// Uses the jobs that took longer than `done`.  If there are none, each doubling of the time halves
// the chance that the job still runs: the middle slice takes as long again.
Duration GuessWork(const AlikeRuns& alike, Duration done, int slice) {
  const auto longer =
      std::ranges::upper_bound(alike.runs, done, {}, &std::pair<Duration, size_t>::first);
  const auto count = alike.runs.end() - longer;
  if (count == 0) return {done.ns / (2 * (kSlices - slice) - 1) * (2 * kSlices)};
  if (count < kSlices) return longer[count * (2 * slice + 1) / (2 * kSlices)].first;
  return MeanOf(longer + count * slice / kSlices, longer + count * (slice + 1) / kSlices);
}

}  // namespace gp
