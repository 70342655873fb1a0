#include "experiments/trace/engine_replay.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "base/assert.h"
#include "base/digest.h"
#include "base/ignore_result.h"
#include "domain/cluster/codec/codec.h"
#include "simulation/engine/engine.h"
#include "simulation/engine/plain_node.h"

namespace gp {
namespace {

// Ended jobs are not read again.
constexpr int kJobsKept = 100;

constexpr int64_t kResumeCostS = 60;
constexpr int64_t kLookAgainS = 300;  // minimum between event-free passes: traces last months

class EngineReplay {
 public:
  EngineReplay(const TraceWorkload& workload, const TraceCluster& cluster)
      : jobs_(workload.jobs),
        gpus_per_node_(cluster.gpus_per_node),
        progress_(jobs_.size()),
        ends_(jobs_.size(), 0) {
    Policy policy;
    policy.jobs_kept = kJobsKept;
    GP_ASSERT(engine_.Execute(StartController{policy}).has_value(), "the policy is legal");
    for (int i = 0; i < cluster.nodes; ++i) engine_.AddNode(PlainNode(i, cluster.gpus_per_node));
    for (size_t i = 0; i < jobs_.size(); ++i) progress_[i].remaining_s = jobs_[i].duration_s;
  }

  const std::vector<int64_t>& Run(const DoneWatch& watch) {
    size_t next = 0;
    while (next < jobs_.size() || !running_.empty()) {
      now_s_ = NextEvent(next);
      engine_.AdvanceTo(Instant{now_s_ * 1'000'000'000});
      while (!running_.empty() && running_.begin()->first <= now_s_) End(running_.begin()->second);
      for (; next < jobs_.size() && jobs_[next].submit_s <= now_s_; ++next) Submit(next);
      Settle();
      if (watch) watch(DoneBy(now_s_, jobs_));
    }
    return ends_;
  }
  int64_t preemptions() const { return preemptions_; }
  uint64_t LastState() const { return StateDigest(engine_.state()); }

 private:
  struct Progress {
    int64_t remaining_s = 0;  // including the cost of resumptions
    int64_t started_s = 0;
    bool has_run = false;
  };

  // Jobs are numbered from 1 in the order of their submission.
  static size_t IndexOf(JobId id) { return static_cast<size_t>(id.value - 1); }
  static JobId IdOf(size_t index) { return JobId{index + 1}; }

  int64_t NextEvent(size_t next) const {
    int64_t at = look_again_s_;
    if (next < jobs_.size()) at = std::min(at, jobs_[next].submit_s);
    if (!running_.empty()) at = std::min(at, running_.begin()->first);
    return std::max(at, now_s_);
  }

  void Submit(size_t index) {
    IgnoreResult(engine_.Submit(SpecOf(jobs_[index].gpus), user_),
                 "a refusal is part of the experiment");
  }

  std::shared_ptr<const JobSpec> SpecOf(int gpus) {
    std::shared_ptr<const JobSpec>& known = specs_[gpus];
    if (known != nullptr) return known;
    auto spec = std::make_shared<JobSpec>();
    spec->resources.nodes = (gpus + gpus_per_node_ - 1) / gpus_per_node_;
    spec->resources.gpus.count = (gpus + spec->resources.nodes - 1) / spec->resources.nodes;
    spec->program.command = {"train"};
    spec->policy.preemptible = true;
    return known = std::move(spec);
  }

  void End(size_t index) {
    running_.erase({ends_[index], index});
    engine_.Finish(IdOf(index));
  }

  // Runs passes until they preempt no more jobs; a preempted job stops at once.
  void Settle() {
    while (true) {
      const Plan plan = engine_.Pass();
      for (const PlaceGang& placement : plan.Placements()) Start(IndexOf(placement.job));
      bool interrupts = false;
      for (const Plan::Step& step : plan.steps) {
        const auto* preemption = std::get_if<PreemptJob>(&step);
        if (preemption == nullptr) continue;
        Interrupt(IndexOf(preemption->job));
        interrupts = true;
      }
      look_again_s_ = plan.look_again_at.ns == 0
                          ? INT64_MAX
                          : std::max(plan.look_again_at.ns / 1'000'000'000, now_s_ + kLookAgainS);
      if (!interrupts) return;
    }
  }

  void Start(size_t index) {
    Progress& progress = progress_[index];
    if (progress.has_run) progress.remaining_s += kResumeCostS;
    progress.has_run = true;
    progress.started_s = now_s_;
    ends_[index] = now_s_ + progress.remaining_s;
    running_.insert({ends_[index], index});
    engine_.Start(IdOf(index));
  }

  void Interrupt(size_t index) {
    running_.erase({ends_[index], index});
    progress_[index].remaining_s -= now_s_ - progress_[index].started_s;
    ++preemptions_;
    engine_.Stop(IdOf(index));
  }

  const std::vector<TraceJob>& jobs_;
  const int gpus_per_node_;
  const User user_{"trace", 1'000, 1'000};
  Engine engine_;
  std::map<int, std::shared_ptr<const JobSpec>> specs_;  // by GPUs
  std::vector<Progress> progress_;
  std::vector<int64_t> ends_;
  std::set<std::pair<int64_t, size_t>> running_;  // by end
  int64_t now_s_ = 0;
  int64_t look_again_s_ = INT64_MAX;
  int64_t preemptions_ = 0;
};

}  // namespace

TraceResult ReplayEngine(const TraceWorkload& workload, const TraceCluster& cluster,
                         const DoneWatch& watch) {
  EngineReplay replay(workload, cluster);
  const std::vector<int64_t>& ends = replay.Run(watch);
  TraceResult result = Summarize(workload, cluster, ends, replay.preemptions());
  const std::string_view bytes(reinterpret_cast<const char*>(ends.data()),
                               ends.size() * sizeof(ends[0]));
  result.digest = Digest64(bytes, replay.LastState());
  return result;
}

}  // namespace gp
