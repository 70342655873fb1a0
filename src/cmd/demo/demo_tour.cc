#include "cmd/demo/demo_tour.h"

#include <fmt/format.h>
#include <poll.h>

#include <algorithm>

#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/demo/demo_figures.h"
#include "cmd/demo/demo_signals.h"
#include "cmd/text/job_text.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr const char* kMachine = "dgx-h100";
constexpr int kNodes = 3;
constexpr int kGpusPerNode = 8;
constexpr const char* kSpareNode = "dgx-h100-2";  // out of service until there is more to do
constexpr int kLow = 250, kMedium = 500, kUrgent = 900;
constexpr int kPatienceMs = 60'000;
constexpr int kLookAgainMs = 20;
constexpr int kSweepJobs = 96;
constexpr int kUncorrectableEcc = 48;

// Ten steps a second; what it has counted is saved every fifth step.
constexpr const char* kCounter = R"(step=${GP_RESUME_STEP:-0}
echo "begins at step $step"
while [ $step -lt $STEPS ]; do
  step=$((step + 1)); sleep 0.1
  if [ $((step % 5)) = 0 ] && [ $GP_NODE_RANK = 0 ]; then
    mkdir -p $GP_CHECKPOINT_DIR && echo $step > $GP_CHECKPOINT_DIR/$step
    echo "checkpoint step=$step bytes=1 path=$GP_CHECKPOINT_DIR/$step" > $GP_REPORT
  fi
done
echo "ends at step $step")";

bool IsRunning(const v1::Job& job) { return job.detail() == "RUNNING"; }

int BegunAt(const std::string& output) {
  const size_t at = output.rfind("begins at step ");
  return at == std::string::npos ? -1 : std::atoi(output.c_str() + at + 15);
}

double SecondsIn(double milliseconds) { return milliseconds / 1'000; }

}  // namespace

int DemoTour::Run() {
  const Status outcome = Tell();
  const std::vector<std::string> left =
      host_ == nullptr ? std::vector<std::string>() : host_->Stop();
  problems_.insert(problems_.end(), left.begin(), left.end());
  return Conclude(outcome);
}

Status DemoTour::Tell() {
  GP_CHECK_OK(Begin());
  GP_CHECK_OK(ShowPriorities());
  GP_CHECK_OK(ShowFaults());
  GP_CHECK_OK(ShowScaling());
  GP_CHECK_OK(ShowMonitoring());
  return ShowLiveJob();
}

void DemoTour::Check(bool is_so, const std::string& what) {
  if (!is_so) problems_.push_back(what);
}

template <typename Look>
Status DemoTour::Await(const std::string& what, Look look) {
  for (const int64_t begin = SystemClock().BootNs();
       MillisecondsSince(begin) < kPatienceMs && !IsDemoInterrupted();
       poll(nullptr, 0, kLookAgainMs)) {
    if (GP_TRY(look())) return Ok();
  }
  return Fail(Unavailable(what + ": not within a minute"));
}

template <typename IsSo>
Result<v1::Job> DemoTour::AwaitJob(const std::string& id, const std::string& what, IsSo is_so) {
  v1::Job job;
  GP_CHECK_OK(Await(id + ": " + what, [&]() -> Result<bool> {
    job = GP_TRY(host_->client().Job(id));
    return is_so(job);
  }));
  return job;
}

Result<v1::Job> DemoTour::AwaitEnd(const std::string& id) {
  return AwaitJob(id, "its end", IsOver);
}

Result<int> DemoTour::GpusWithState(v1::GpuState state) {
  int gpus = 0;
  const v1::Cluster cluster = GP_TRY(host_->client().Cluster());
  for (const v1::Node& node : cluster.nodes())
    gpus += static_cast<int>(std::ranges::count(node.gpus(), state, &v1::Gpu::state));
  return gpus;
}

Status DemoTour::AwaitGpus(const std::string& node, bool in_service) {
  return Await(node + ": its GPUs " + (in_service ? "into" : "out of") + " service",
               [&]() -> Result<bool> {
                 const v1::Cluster cluster = GP_TRY(host_->client().Cluster());
                 const auto found = std::ranges::find(cluster.nodes(), node, &v1::Node::name);
                 return found != cluster.nodes().end() &&
                        std::ranges::all_of(found->gpus(), [&](const v1::Gpu& gpu) {
                          return (gpu.state() == v1::AVAILABLE) == in_service;
                        });
               });
}

Status DemoTour::Serve(const std::string& node, v1::ChangeServiceRequest::Action action,
                       const std::string& reason) {
  v1::ChangeServiceRequest request;
  request.set_node(node);
  request.set_action(action);
  request.set_reason(reason);
  const auto changed = host_->client().Call<v1::Cluster>("ChangeService", request);
  return changed ? Ok() : Fail(changed.error());
}

Result<std::string> DemoTour::SubmitCounter(const std::string& name, int nodes, int gpus,
                                            int priority, int steps) {
  JobSpec spec;
  spec.name = name;
  spec.resources.nodes = nodes;
  spec.resources.gpus.count = gpus;
  spec.policy.priority = priority;
  spec.policy.preemptible = true;
  spec.recovery.on_lease_loss = LeaseLoss::kStop;  // should the demo be killed, its jobs end
  spec.policy.grace = Duration::Seconds(2);
  spec.recovery.checkpoint.directory = host_->checkpoints() + "/" + name;
  spec.program.environment = {{"STEPS", std::to_string(steps)}};
  spec.program.command = {"/bin/sh", "-c", kCounter};
  return host_->client().Submit(spec);
}

Status DemoTour::Begin() {
  story_.Title("gpu-platform tour: five chapters on simulated GPUs, each checked; half a minute");
  DemoHost::Options options;
  options.examples = options_.examples;
  options.nvml = options_.nvml;
  options.simulate = fmt::format("{}:{}", kMachine, kNodes);
  options.min_run = "1s";
  host_ = GP_TRY(DemoHost::Start(options));
  const v1::Cluster cluster = GP_TRY(host_->AwaitNodes(kNodes));
  story_.Nodes(cluster);
  GP_CHECK_OK(Serve(kSpareNode, v1::ChangeServiceRequest::OFFLINE, "kept for later"));
  GP_CHECK_OK(AwaitGpus(kSpareNode, false));
  story_.Line(fmt::format("{} is kept for chapter 3", kSpareNode));
  return Ok();
}

Status DemoTour::ShowPriorities() {
  story_.Section("1  Priorities: urgent jobs preempt others, and nothing is lost");
  const std::string patient = GP_TRY(SubmitCounter("patient", 2, kGpusPerNode, kLow, 60));
  GP_TRY(AwaitJob(patient, "a checkpoint",
                  [](const v1::Job& job) { return job.checkpoints_size() > 0; }));
  story_.Line(fmt::format(
      "{} has all {} GPUs, at low priority; it is preemptible and has saved a checkpoint", patient,
      2 * kGpusPerNode));
  JobSpec spec;
  spec.name = "urgent";
  spec.resources.gpus.count = kGpusPerNode;
  spec.policy.priority = kUrgent;
  spec.program.command = {"sleep", "2"};
  const int64_t begin = SystemClock().BootNs();
  const std::string urgent = GP_TRY(host_->client().Submit(spec));
  GP_TRY(AwaitJob(urgent, "its start",
                  [](const v1::Job& job) { return IsRunning(job) || IsOver(job); }));
  story_.Line(fmt::format("{}, at high priority, runs {:.0f} ms after its submit: {} was preempted",
                          urgent, MillisecondsSince(begin), patient));
  const v1::Job waiting = GP_TRY(host_->client().Job(patient));
  if (!waiting.reason().empty())
    story_.Line(fmt::format("{} waits: {}", patient, waiting.reason()));
  GP_TRY(AwaitEnd(urgent));
  const v1::Job job = GP_TRY(AwaitEnd(patient));
  const int begun = BegunAt(GP_TRY(host_->client().Output(patient)));
  story_.Line(fmt::format("{} resumed at step {} of 60, and is {}", patient, begun,
                          job.state() == v1::COMPLETED ? "complete" : job.detail()));
  Check(job.state() == v1::COMPLETED && job.preemptions() == 1 && begun > 0,
        fmt::format("{}: {} after {} interruptions, from step {}", patient, job.detail(),
                    job.preemptions(), begun));
  return Ok();
}

Status DemoTour::ShowFaults() {
  story_.Section("2  Faults: a GPU fails, its job resumes elsewhere");
  const std::string id = GP_TRY(SubmitCounter("steady", 1, 1, kMedium, 60));
  const v1::Job before = GP_TRY(
      AwaitJob(id, "a checkpoint", [](const v1::Job& job) { return job.checkpoints_size() > 0; }));
  const v1::Rank rank = before.attempts(0).ranks(0);
  story_.Line(fmt::format(
      "{} runs on GPU {} of {}; now that GPU reports an uncorrectable memory error (XID {})", id,
      rank.gpus(0), rank.node(), kUncorrectableEcc));
  const int64_t begin = SystemClock().BootNs();
  GP_CHECK_OK(host_->Break(rank.node(),
                           fmt::format("xid gpu={} code={}", rank.gpus(0), kUncorrectableEcc)));
  const v1::Job moved = GP_TRY(AwaitJob(id, "its next attempt", [](const v1::Job& job) {
    return (job.attempt() == 2 && IsRunning(job)) || IsOver(job);
  }));
  const double moved_ms = MillisecondsSince(begin);
  const v1::Rank& now = moved.attempts(moved.attempts_size() - 1).ranks(0);
  story_.Line(
      fmt::format("{:.0f} ms later it runs on GPU {} of {}, from its newest checkpoint; its owner "
                  "is not charged a retry",
                  moved_ms, now.gpus(0), now.node()));
  const v1::Job job = GP_TRY(AwaitEnd(id));
  const auto incidents = GP_TRY(host_->client().Call<v1::ListIncidentsReply>("ListIncidents", [] {
    v1::ListIncidentsRequest all;
    all.set_all(true);
    return all;
  }()));
  for (const v1::Incident& incident : incidents.incidents()) {
    story_.Line(fmt::format("{}: {} on {}, {}", incident.id(), incident.cause(), incident.node(),
                            incident.state()));
    for (const v1::Incident::Step& step : incident.steps())
      story_.Line("    " + step.at() + "  " + step.what());
  }
  const bool is_elsewhere = now.node() != rank.node() || now.gpus(0) != rank.gpus(0);
  Check(
      job.state() == v1::COMPLETED && job.faults() == 1 && job.retries_used() == 0 && is_elsewhere,
      fmt::format("{}: {} after {} faults", id, job.detail(), job.faults()));
  Check(incidents.incidents_size() == 1,
        fmt::format("{} incidents instead of one", incidents.incidents_size()));
  return Ok();
}

Result<double> DemoTour::RunSweep(int jobs) {
  JobSpec spec;
  spec.name = "sweep";
  spec.resources.gpus.count = 1;
  spec.policy.array.count = jobs;
  spec.program.command = {"sleep", "0.5"};
  const int64_t begin = SystemClock().BootNs();
  v1::ListJobsRequest all;
  all.set_name(GP_TRY(host_->client().Submit(spec)));
  all.set_limit(jobs);
  v1::ListJobsReply seen;
  GP_CHECK_OK(Await(all.name() + ": the end of all", [&]() -> Result<bool> {
    seen = GP_TRY(host_->client().Call<v1::ListJobsReply>("ListJobs", all));
    return std::ranges::all_of(seen.jobs(), IsOver);
  }));
  const auto complete = std::ranges::count(seen.jobs(), v1::COMPLETED, &v1::Job::state);
  Check(complete == jobs,
        fmt::format("{} of {} jobs of {} are complete", complete, jobs, all.name()));
  return MillisecondsSince(begin);
}

Status DemoTour::ShowScaling() {
  story_.Section(fmt::format("3  Scaling: {} jobs of half a second, then the same with a node more",
                             kSweepJobs));
  const int gpus = GP_TRY(GpusWithState(v1::AVAILABLE));
  const double before_ms = GP_TRY(RunSweep(kSweepJobs));
  story_.Line(fmt::format("{} GPUs: {:.1f} s", gpus, SecondsIn(before_ms)));
  GP_CHECK_OK(Serve(kSpareNode, v1::ChangeServiceRequest::ONLINE, "more to do"));
  GP_CHECK_OK(AwaitGpus(kSpareNode, true));
  const int more = GP_TRY(GpusWithState(v1::AVAILABLE));
  const double after_ms = GP_TRY(RunSweep(kSweepJobs));
  story_.Line(fmt::format("{} GPUs, {} tested and put into service: {:.1f} s", more, kSpareNode,
                          SecondsIn(after_ms)));
  Check(more >= gpus + kGpusPerNode, fmt::format("{} GPUs after {}", more, gpus));
  return Ok();
}

Status DemoTour::ShowMonitoring() {
  story_.Section("4  Monitoring: Prometheus metrics and the usage ledger");
  const auto metrics =
      GP_TRY(host_->client().Call<v1::GetMetricsReply>("GetMetrics", v1::GetMetricsRequest()));
  int shown = 0;
  for (const std::string& line : Split(metrics.text(), '\n')) {
    const bool is_shown = line.starts_with("gpu_platform_gpus_by_use{") ||
                          line.starts_with("gpu_platform_gpus_free{");
    if (!is_shown) continue;
    story_.Line(line);
    ++shown;
  }
  Check(shown > 0, "no metrics of GPUs");
  v1::GetUsageRequest by_user;
  by_user.add_by(v1::GetUsageRequest::USER);
  const auto usage = GP_TRY(host_->client().Call<v1::Usage>("GetUsage", by_user));
  double had = 0;
  for (const v1::UsageRow& row : usage.rows()) {
    if (row.kind() != "jobs" && row.kind() != "repeated") continue;
    had += row.gpu_hours();
    story_.Line(fmt::format("{:.1f} GPU-seconds {} {}", row.gpu_hours() * 3'600,
                            row.kind() == "jobs" ? "of" : "lost to faults, not charged to",
                            row.user()));
  }
  Check(had > 0, "the usage ledger has nothing of these jobs");
  story_.Line("with serve --http: a dashboard (gpu-platform dashboard), and /metrics");
  return Ok();
}

Status DemoTour::ShowLiveJob() {
  story_.Section("5  A job to watch: training with checkpoints");
  const v1::Cluster cluster = GP_TRY(host_->client().Cluster());
  std::vector<DemoJob> jobs =
      GP_TRY(LoadDemoJobs({host_->examples(), host_->checkpoints(), {}, true}, cluster));
  DemoJob& training = jobs.front();
  training.id = GP_TRY(host_->client().Submit(training.spec));
  size_t outcome = 0;
  const auto tell = [&] {
    const auto output = host_->client().Output(training.id);
    if (!output) return;
    const size_t whole = output->rfind('\n') + 1;
    for (const std::string& line : Split(output->substr(outcome, whole - outcome), '\n')) {
      if (!line.empty()) story_.Quote(training, line);
    }
    outcome = whole;
  };
  const v1::Job job = GP_TRY(AwaitJob(training.id, "its end", [&](const v1::Job& seen) {
    tell();
    return IsOver(seen);
  }));
  tell();
  Check(job.state() == v1::COMPLETED && outcome > 0, training.id + ": " + job.detail());
  return Ok();
}

int DemoTour::Conclude(const Status& outcome) {
  std::printf("\n");
  if (IsDemoInterrupted()) {
    story_.Verdict(problems_.empty(), "interrupted; the tour has been stopped and removed");
    for (const std::string& problem : problems_) story_.Line(problem);
    return kExitInterrupted;
  }
  if (!outcome) problems_.insert(problems_.begin(), outcome.error().message);
  if (problems_.empty()) {
    story_.Verdict(true, "All checks passed; nothing is left behind.");
    story_.Line("On your own: gpu-platform serve --simulate dgx-h100:2, then status, run, watch.");
    return kExitOk;
  }
  story_.Verdict(false, fmt::format("{} not as expected:", Count(std::ssize(problems_), "thing")));
  for (const std::string& problem : problems_) story_.Line(problem);
  return kExitInternal;
}

}  // namespace gp
