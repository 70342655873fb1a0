#include "tests/property/recovery/mixed_jobs.h"

#include <algorithm>

namespace gp {
namespace {

class MixedJobs {
 public:
  explicit MixedJobs(const MixedJobsSetting& setting) : setting_(setting), fleet_(setting.fleet) {
    large_at_ = fleet_.now();
    small_at_ = fleet_.now();
  }

  MixedJobsFigures Run() {
    const Instant end = fleet_.now() + setting_.length;
    while (fleet_.now() < end && fleet_.broken().empty()) {
      fleet_.Advance(std::min({end, fleet_.NextAt(), large_at_, small_at_, NextEnd()}));
      EndJobs();
      for (const JobId job : fleet_.Act()) {
        ends_.erase(job);
        figures_.large_interrupted += IsLarge(job) ? 1 : 0;
      }
      SubmitDue(setting_.large, large_at_);
      SubmitDue(setting_.small, small_at_);
      for (const JobId job : fleet_.Pass()) {
        ends_[job] = fleet_.now() + jobs_.at(job).work;
        figures_.large_attempts += IsLarge(job) ? 1 : 0;
      }
    }
    figures_.fleet = fleet_.figures();
    return figures_;
  }

  const std::vector<std::string>& broken() const { return fleet_.broken(); }

 private:
  bool IsLarge(JobId job) const { return jobs_.at(job).nodes > 1; }

  Instant NextEnd() const {
    Instant next = kNever;
    for (const auto& [job, at] : ends_) next = std::min(next, at);
    return next;
  }

  void EndJobs() {
    for (const auto& [job, at] : std::map(ends_)) {
      if (at > fleet_.now()) continue;
      fleet_.End(job);
      ++(IsLarge(job) ? figures_.large_done : figures_.small_done);
      ends_.erase(job);
      jobs_.erase(job);
    }
  }

  void SubmitDue(const JobStream& stream, Instant& at) {
    if (at > fleet_.now()) return;
    jobs_[fleet_.Submit(stream.nodes)] = {stream.nodes, fleet_.Exponential(stream.work), {}};
    at = fleet_.now() + fleet_.Exponential(stream.every);
  }

  const MixedJobsSetting setting_;
  Fleet fleet_;
  Instant large_at_;  // the next of each is submitted
  Instant small_at_;
  std::map<JobId, JobStream> jobs_;  // that have not ended, each with its own work
  std::map<JobId, Instant> ends_;    // of those that run
  MixedJobsFigures figures_;
};

}  // namespace

MixedJobsFigures RunMixedJobs(const MixedJobsSetting& setting, std::vector<std::string>& broken) {
  MixedJobs jobs(setting);
  const MixedJobsFigures figures = jobs.Run();
  broken = jobs.broken();
  return figures;
}

}  // namespace gp
