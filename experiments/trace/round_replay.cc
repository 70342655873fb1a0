#include "experiments/trace/round_replay.h"

#include <algorithm>

#include "experiments/trace/node_pool.h"

namespace gp {
namespace {

constexpr int64_t kRoundS = 300;
constexpr int64_t kRoundResumeCostS = 60;
constexpr int64_t kHourS = 3600;

struct Progress {
  int64_t attained_s = 0;   // time on its GPUs
  int64_t remaining_s = 0;  // including the cost of resumptions
  bool has_run = false;
  bool runs = false;
  bool chosen = false;
  GangPlace place;
};

class RoundReplay {
 public:
  RoundReplay(const TraceWorkload& workload, const TraceCluster& cluster, RoundPolicy policy)
      : jobs_(workload.jobs),
        policy_(policy),
        pool_(cluster.nodes, cluster.gpus_per_node),
        total_(cluster.nodes * cluster.gpus_per_node),
        progress_(jobs_.size()),
        ends_(jobs_.size(), 0) {
    for (size_t i = 0; i < jobs_.size(); ++i) progress_[i].remaining_s = jobs_[i].duration_s;
  }

  const std::vector<int64_t>& Run(const DoneWatch& watch) {
    size_t next = 0;
    while (next < jobs_.size() || !active_.empty()) {
      if (active_.empty())
        now_ = std::max(now_, (jobs_[next].submit_s + kRoundS - 1) / kRoundS * kRoundS);
      for (; next < jobs_.size() && jobs_[next].submit_s <= now_; ++next) active_.push_back(next);
      Choose();
      Advance();
      now_ += kRoundS;
      if (watch) watch(DoneBy(now_, jobs_));
    }
    return ends_;
  }
  int64_t preemptions() const { return preemptions_; }

 private:
  int64_t Rank(size_t job) const {
    const Progress& progress = progress_[job];
    if (policy_ == RoundPolicy::kSrtf) return progress.remaining_s * jobs_[job].gpus;
    const int64_t attained = progress.attained_s * jobs_[job].gpus;
    return attained < kHourS ? 0 : attained < 10 * kHourS ? 1 : 2;
  }

  void Choose() {
    std::vector<std::pair<int64_t, size_t>> order;
    for (const size_t job : active_) order.emplace_back(Rank(job), job);
    std::ranges::sort(order);
    // Choose the jobs of this round: as many as there are GPUs for.
    int left = total_;
    for (const auto& [rank, job] : order) {
      Progress& progress = progress_[job];
      progress.chosen = jobs_[job].gpus <= left;
      if (progress.chosen) left -= jobs_[job].gpus;
    }
    for (const auto& [rank, job] : order) {
      Progress& progress = progress_[job];
      if (!progress.runs || progress.chosen) continue;
      Stop(job);
      ++preemptions_;
    }
    // A chosen job may not fit because of fragmentation; its GPUs go to the next jobs in order.
    for (const auto& [rank, job] : order) {
      Progress& progress = progress_[job];
      if (progress.runs) continue;
      if (auto place = pool_.Find(jobs_[job].gpus)) Start(job, *std::move(place));
    }
  }

  void Start(size_t job, GangPlace place) {
    Progress& progress = progress_[job];
    pool_.Take(place);
    progress.place = std::move(place);
    if (progress.has_run) progress.remaining_s += kRoundResumeCostS;
    progress.has_run = true;
    progress.runs = true;
  }

  void Stop(size_t job) {
    pool_.Release(progress_[job].place);
    progress_[job].runs = false;
  }

  void Advance() {
    std::erase_if(active_, [this](size_t job) {
      Progress& progress = progress_[job];
      if (!progress.runs) return false;
      if (progress.remaining_s > kRoundS) {
        progress.remaining_s -= kRoundS;
        progress.attained_s += kRoundS;
        return false;
      }
      ends_[job] = now_ + progress.remaining_s;
      Stop(job);
      return true;
    });
  }

  const std::vector<TraceJob>& jobs_;
  const RoundPolicy policy_;
  NodePool pool_;
  const int total_;
  std::vector<Progress> progress_;
  std::vector<int64_t> ends_;
  std::vector<size_t> active_;
  int64_t now_ = 0;
  int64_t preemptions_ = 0;
};

}  // namespace

TraceResult ReplayRounds(const TraceWorkload& workload, const TraceCluster& cluster,
                         RoundPolicy policy, const DoneWatch& watch) {
  RoundReplay replay(workload, cluster, policy);
  const std::vector<int64_t>& ends = replay.Run(watch);
  return Summarize(workload, cluster, ends, replay.preemptions());
}

}  // namespace gp
