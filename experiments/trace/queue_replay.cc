#include "experiments/trace/queue_replay.h"

#include <algorithm>
#include <map>
#include <set>

#include "experiments/trace/node_pool.h"

namespace gp {
namespace {

class QueueReplay {
 public:
  QueueReplay(const TraceWorkload& workload, const TraceCluster& cluster, QueuePolicy policy)
      : jobs_(workload.jobs),
        policy_(policy),
        pool_(cluster.nodes, cluster.gpus_per_node),
        places_(jobs_.size()),
        ends_(jobs_.size(), 0) {}

  const std::vector<int64_t>& Run(const DoneWatch& watch) {
    size_t next = 0;
    while (next < jobs_.size() || !running_.empty()) {
      now_ = next < jobs_.size() ? jobs_[next].submit_s : running_.begin()->first;
      if (!running_.empty()) now_ = std::min(now_, running_.begin()->first);
      while (!running_.empty() && running_.begin()->first == now_) End(running_.begin()->second);
      for (; next < jobs_.size() && jobs_[next].submit_s == now_; ++next) {
        waiting_[jobs_[next].gpus].emplace(Rank(next), next);
      }
      Pass();
      if (watch) watch(DoneBy(now_, jobs_));
    }
    return ends_;
  }

 private:
  // The pending jobs of one size, in the policy's order.  If one of them does not fit now, the
  // others do not either.
  using Line = std::set<std::pair<int64_t, size_t>>;

  int64_t Rank(size_t job) const {
    return policy_ == QueuePolicy::kSjf ? jobs_[job].duration_s : 0;
  }

  void End(size_t job) {
    running_.erase({ends_[job], job});
    pool_.Release(places_[job]);
  }

  void Start(size_t job, GangPlace place) {
    pool_.Take(place);
    places_[job] = std::move(place);
    ends_[job] = now_ + jobs_[job].duration_s;
    running_.emplace(ends_[job], job);
    Line& line = waiting_[jobs_[job].gpus];
    line.erase({Rank(job), job});
    if (line.empty()) waiting_.erase(jobs_[job].gpus);
  }

  // The first job in queue order, without blocked sizes; null: there is none.
  const std::pair<int64_t, size_t>* First(const std::set<int>& blocked) const {
    const std::pair<int64_t, size_t>* first = nullptr;
    for (const auto& [gpus, line] : waiting_) {
      if (blocked.contains(gpus)) continue;
      if (first == nullptr || *line.begin() < *first) first = &*line.begin();
    }
    return first;
  }

  void Pass() {
    const bool may_pass = policy_ == QueuePolicy::kSkip || policy_ == QueuePolicy::kSjf;
    std::set<int> blocked;
    while (const auto* first = First(blocked)) {
      const size_t job = first->second;
      if (auto place = pool_.Find(jobs_[job].gpus)) {
        Start(job, *std::move(place));
      } else if (may_pass) {
        blocked.insert(jobs_[job].gpus);
      } else {
        if (policy_ == QueuePolicy::kEasy) Backfill(job);
        return;
      }
    }
  }

  // When the head can start if no other job does, and the GPUs that it then leaves free.
  std::pair<int64_t, NodePool> Reserve(size_t head) const {
    NodePool later = pool_;
    for (const auto& [end, job] : running_) {
      later.Release(places_[job]);
      if (auto place = later.Find(jobs_[head].gpus)) {
        later.Take(*place);
        return {end, later};
      }
    }
    return {INT64_MAX, later};  // larger than the cluster
  }

  void Backfill(size_t head) {
    if (pool_.free() == 0) return;
    auto [start, left] = Reserve(head);
    std::vector<size_t> order;
    for (const auto& [gpus, line] : waiting_) {
      if (!pool_.Fits(gpus)) continue;
      for (const auto& [rank, job] : line) {
        if (job != head) order.push_back(job);
      }
    }
    std::ranges::sort(order);
    for (const size_t job : order) {
      if (pool_.free() == 0) return;
      auto place = pool_.Find(jobs_[job].gpus);
      if (!place) continue;
      const bool ends_before = now_ + jobs_[job].duration_s <= start;
      const bool is_beside = std::ranges::all_of(
          *place, [&left](const auto& part) { return left.FreeOn(part.first) >= part.second; });
      if (!ends_before && !is_beside) continue;
      if (!ends_before) left.Take(*place);
      Start(job, *std::move(place));
    }
  }

  const std::vector<TraceJob>& jobs_;
  const QueuePolicy policy_;
  NodePool pool_;
  std::vector<GangPlace> places_;
  std::vector<int64_t> ends_;
  std::map<int, Line> waiting_;                   // by GPUs
  std::set<std::pair<int64_t, size_t>> running_;  // by end
  int64_t now_ = 0;
};

}  // namespace

TraceResult ReplayQueue(const TraceWorkload& workload, const TraceCluster& cluster,
                        QueuePolicy policy, const DoneWatch& watch) {
  QueueReplay replay(workload, cluster, policy);
  return Summarize(workload, cluster, replay.Run(watch), 0);
}

}  // namespace gp
