#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "base/text.h"
#include "cmd/demo/demo_jobs.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

constexpr int kRefusedCode = 13;

using Problems = std::vector<std::string>;

const v1::Attempt& LastAttempt(const DemoJob& job) {
  return job.seen.attempts_size() > 0 ? *job.seen.attempts().rbegin()
                                      : v1::Attempt::default_instance();
}

std::set<std::string> GpusOf(const DemoJob& job) {
  std::set<std::string> uuids;
  for (const v1::Rank& rank : LastAttempt(job).ranks()) {
    uuids.insert(rank.gpu_uuids().begin(), rank.gpu_uuids().end());
  }
  return uuids;
}

const v1::Node* FindNode(const v1::Cluster& cluster, const std::string& name) {
  for (const v1::Node& node : cluster.nodes()) {
    if (node.name() == name) return &node;
  }
  return nullptr;
}

class VerdictJudge {
 public:
  VerdictJudge(const std::vector<DemoJob>& jobs, const DemoPlaces& places,
               const v1::Cluster& cluster)
      : jobs_(jobs), places_(places), cluster_(cluster) {}

  Problems Run() {
    for (const DemoJob& job : jobs_) {
      JudgeEnd(job);
      JudgeGang(job);
      switch (job.role) {
        case DemoRole::kTraining: JudgeTraining(job); break;
        case DemoRole::kNodeGang:
          JudgeNuma(job);
          JudgeSums(job);
          break;
        case DemoRole::kProbe: JudgeDevices(job); break;
        case DemoRole::kWholeGang:
          JudgeWait(job);
          JudgeSums(job);
          break;
      }
    }
    JudgeSharing();
    return std::move(problems_);
  }

 private:
  void Blame(const DemoJob& job, const std::string& what) {
    problems_.push_back(job.spec.name + ": " + what);
  }

  // The probe is refused wherever there is a GPU that is not its own.
  int ExpectedCode(const DemoJob& job) const {
    int gpus = 0;
    for (const v1::Node& node : cluster_.nodes()) gpus += node.gpus_size();
    const bool refused = job.role == DemoRole::kProbe && places_.devices_isolated &&
                         gpus > job.spec.resources.gpus.count;
    return refused ? kRefusedCode : 0;
  }

  void JudgeEnd(const DemoJob& job) {
    const int code = ExpectedCode(job);
    if (!IsOver(job.seen)) return Blame(job, "not over in time: " + job.seen.reason());
    if (job.seen.exit_code() == code) return;
    Blame(job, fmt::format("exit code {} instead of {} ({})", job.seen.exit_code(), code,
                           job.seen.reason().empty() ? job.seen.detail() : job.seen.reason()));
  }

  // All ranks, each on a node of its own, each with its GPUs.
  void JudgeGang(const DemoJob& job) {
    std::set<std::string> nodes;
    for (const v1::Rank& rank : LastAttempt(job).ranks()) {
      nodes.insert(rank.node());
      if (rank.gpus_size() == job.spec.resources.gpus.count) continue;
      Blame(job, fmt::format("rank {} has {} GPUs instead of {}", rank.rank(), rank.gpus_size(),
                             job.spec.resources.gpus.count));
    }
    if (static_cast<int>(nodes.size()) == job.spec.resources.nodes) return;
    Blame(job,
          fmt::format("ran on {} nodes instead of {}", nodes.size(), job.spec.resources.nodes));
  }

  void JudgeTraining(const DemoJob& job) {
    std::vector<double> losses;
    for (const std::string& line : Split(job.output, '\n')) {
      const size_t at = line.find(" loss ");
      if (at != std::string::npos) losses.push_back(std::atof(line.c_str() + at + 6));
    }
    if (losses.size() < 2 || losses.back() >= losses.front()) Blame(job, "its loss did not fall");
    std::error_code error;
    if (std::filesystem::is_empty(places_.checkpoints, error) || error) {
      Blame(job, "it left no checkpoint");
    }
  }

  void JudgeSums(const DemoJob& job) {
    if (job.output.find("every sum right") == std::string::npos) {
      Blame(job, "its ranks did not add up");
    }
  }

  // Where one NUMA node has that many GPUs, the gang must be inside one.
  void JudgeNuma(const DemoJob& job) {
    if (LastAttempt(job).ranks_size() != 1) return;
    const v1::Rank& rank = LastAttempt(job).ranks(0);
    const v1::Node* node = FindNode(cluster_, rank.node());
    if (node == nullptr) return;
    std::map<int, int> size_by_numa;
    std::set<int> used;
    for (const v1::Gpu& gpu : node->gpus()) {
      ++size_by_numa[gpu.numa_node()];
      const bool ours = std::ranges::find(rank.gpus(), gpu.index()) != rank.gpus().end();
      if (ours) used.insert(gpu.numa_node());
    }
    const bool could = std::ranges::any_of(size_by_numa, [&](const auto& numa) {
      return numa.second >= job.spec.resources.gpus.count;
    });
    if (could && used.size() > 1) Blame(job, "its GPUs are of several NUMA nodes");
  }

  void JudgeDevices(const DemoJob& job) {
    if (!places_.devices_isolated) return;
    const std::vector<std::string> granted = GrantedDevices(job, cluster_);
    const std::set<std::string> own(granted.begin(), granted.end());
    int gpus = 0;
    for (const v1::Node& node : cluster_.nodes()) gpus += node.gpus_size();
    const ProbedDevices devices = ReadProbe(job.output);
    for (const std::string& device : devices.reached) {
      if (!own.contains(device)) Blame(job, "could open " + device + ", which is not its own");
    }
    for (const std::string& device : devices.refused) {
      if (own.contains(device)) Blame(job, "was refused its own " + device);
    }
    const int probed = static_cast<int>(devices.reached.size() + devices.refused.size());
    if (probed < gpus) Blame(job, fmt::format("tried {} devices instead of {}", probed, gpus));
  }

  // Times are RFC 3339 in UTC with as many digits each: they sort as text.
  void JudgeWait(const DemoJob& job) {
    const std::set<std::string> gpus = GpusOf(job);
    for (const DemoJob& other : jobs_) {
      if (&other == &job) continue;
      const bool shares = std::ranges::any_of(
          GpusOf(other), [&](const std::string& uuid) { return gpus.contains(uuid); });
      if (shares && LastAttempt(job).placed_at() < other.seen.ended_at()) {
        Blame(job, "was placed while " + other.spec.name + " still held GPUs of it");
      }
    }
    if (job.wait_reason.empty()) Blame(job, "did not wait for the GPUs to be free");
  }

  // No GPU may be of two jobs at a time.
  void JudgeSharing() {
    for (size_t a = 0; a < jobs_.size(); ++a) {
      for (size_t b = a + 1; b < jobs_.size(); ++b) {
        const v1::Attempt& x = LastAttempt(jobs_[a]);
        const v1::Attempt& y = LastAttempt(jobs_[b]);
        const bool apart = x.ended_at() <= y.placed_at() || y.ended_at() <= x.placed_at();
        const std::set<std::string> gpus = GpusOf(jobs_[a]);
        for (const std::string& uuid : GpusOf(jobs_[b])) {
          if (!apart && gpus.contains(uuid)) Blame(jobs_[b], "shared " + uuid);
        }
      }
    }
  }

  const std::vector<DemoJob>& jobs_;
  const DemoPlaces& places_;
  const v1::Cluster& cluster_;
  Problems problems_;
};

}  // namespace

std::vector<std::string> JudgeDemo(const std::vector<DemoJob>& jobs, const DemoPlaces& places,
                                   const v1::Cluster& cluster) {
  return VerdictJudge(jobs, places, cluster).Run();
}

}  // namespace gp
