#include "simulation/scenario/job_arrivals.h"

#include <algorithm>
#include <utility>

#include "base/result.h"
#include "base/wide.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

class Arrivals {
 public:
  Arrivals(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps)
      : scenario_(scenario), begin_(begin), ids_(ids), steps_(steps) {}

  Status Add(const JobGroup& group, uint64_t seed);
  Status Add(const TraceGroup& group);

 private:
  Status Add(Duration at, JobArrival job);

  const Scenario& scenario_;
  const Instant begin_;
  ScenarioIds& ids_;
  RunSteps& steps_;
  int64_t jobs_ = 0;
};

Status Arrivals::Add(Duration at, JobArrival job) {
  jobs_ += CountJobs(*job.spec);
  if (jobs_ > kScenarioJobsMax) {
    return Fail(InvalidArgument("more than " + std::to_string(kScenarioJobsMax) +
                                " jobs: reduce them, or end the scenario earlier (until)"));
  }
  job.id = ids_.next_job;
  ids_.next_job = Behind(job.id, *job.spec);
  steps_.push_back({begin_ + at, std::move(job)});
  return Ok();
}

Status Arrivals::Add(const JobGroup& group, uint64_t seed) {
  Rng rng(seed);
  const int64_t count = group.count.value_or(group.every ? kScenarioJobsMax + 1 : 1);
  const Duration end = scenario_.until.value_or(kScenarioSpanMax);
  Duration at = group.at;
  for (int64_t i = 1; i <= count && at <= end; ++i) {
    const std::string& name = group.spec->name;
    ids_.jobs[count == 1 ? name : name + "-" + std::to_string(i)] = ids_.next_job;
    const Duration length = DrawSpan(group.length, rng);
    GP_CHECK_OK(Add(at, {{}, group.spec, group.user, length, group.checkpoint_every}));
    if (group.every) at = at + DrawSpan(*group.every, rng);
  }
  return Ok();
}

struct Nodes {
  int64_t gpus = 0;
  int64_t gpus_of_largest = 0;
};

Nodes CountNodes(const Scenario& scenario) {
  Nodes nodes;
  const auto count = [&](const NodeFacts& facts, int64_t times) {
    const auto gpus = static_cast<int64_t>(facts.gpus.size());
    nodes.gpus += gpus * times;
    nodes.gpus_of_largest = std::max(nodes.gpus_of_largest, gpus);
  };
  for (const NodeGroup& group : scenario.nodes) count(*group.facts, group.count);
  return nodes;
}

// A job of the trace as a gang: on as few nodes as possible, with equal numbers of GPUs.
std::shared_ptr<const JobSpec> GangOf(const JobSpec& like, const TraceJob& job,
                                      int64_t gpus_per_node) {
  auto spec = std::make_shared<JobSpec>(like);
  spec->resources.nodes = static_cast<int>((job.gpus + gpus_per_node - 1) / gpus_per_node);
  spec->resources.gpus.count = (job.gpus + spec->resources.nodes - 1) / spec->resources.nodes;
  if (job.share == kShareMax) return spec;
  spec->resources.gpus.share_thousandths = job.share;
  spec->resources.gpus.isolation = Isolation::kTimeslice;
  return spec;
}

// The span of all submits, scaled so that the trace requests this percentage of the GPU time.
int64_t SpanAtLoad(const TraceWorkload& workload, int64_t gpus, int64_t load_percent) {
  Wide asked = 0;
  for (const TraceJob& job : workload.jobs) asked += Wide{job.duration_s} * job.gpus * job.share;
  return static_cast<int64_t>(asked * kSecondNs * 100 / (Wide{gpus} * load_percent * kShareMax));
}

Status Arrivals::Add(const TraceGroup& group) {
  const Nodes nodes = CountNodes(scenario_);
  if (nodes.gpus == 0) return Fail(InvalidArgument("no node of the scenario has a GPU"));
  const int64_t first_s = group.workload.jobs.front().submit_s;
  const int64_t recorded_s = std::max<int64_t>(1, group.workload.jobs.back().submit_s - first_s);
  const int64_t span_ns = group.load_percent
                              ? SpanAtLoad(group.workload, nodes.gpus, *group.load_percent)
                              : recorded_s * kSecondNs;
  std::map<std::pair<int, int>, std::shared_ptr<const JobSpec>> specs;  // by GPUs and share
  for (const TraceJob& job : group.workload.jobs) {
    const Duration at =
        group.at +
        Duration{static_cast<int64_t>(Wide{job.submit_s - first_s} * span_ns / recorded_s)};
    if (at > scenario_.until.value_or(kScenarioSpanMax)) break;
    auto& spec = specs[{job.gpus, job.share}];
    if (spec == nullptr) spec = GangOf(*group.spec, job, nodes.gpus_of_largest);
    GP_CHECK_OK(
        Add(at, {{}, spec, group.user, Duration::Seconds(job.duration_s), group.checkpoint_every}));
  }
  return Ok();
}

}  // namespace

void AddJobs(const Scenario& scenario, Instant begin, ScenarioIds& ids, RunSteps& steps,
             std::vector<ScenarioFault>& faults) {
  using enum ScenarioFault::Part;
  Arrivals arrivals(scenario, begin, ids, steps);
  const auto note = [&faults](ScenarioFault::Part part, size_t index, const Status& added) {
    if (!added) faults.push_back({part, index, added.error()});
  };
  for (size_t i = 0; i < scenario.jobs.size() && faults.empty(); ++i) {
    // The draws of a group do not depend on other groups.
    Rng seeds(scenario.seed + i);
    note(kJobs, i, arrivals.Add(scenario.jobs[i], seeds.Next()));
  }
  for (size_t i = 0; i < scenario.traces.size() && faults.empty(); ++i)
    note(kTraces, i, arrivals.Add(scenario.traces[i]));
}

}  // namespace gp
