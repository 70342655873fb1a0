#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <set>

#include "base/text.h"
#include "cmd/agent/own_cgroups.h"
#include "cmd/cli.h"
#include "cmd/demo/demo_figures.h"
#include "cmd/demo/demo_host.h"
#include "cmd/demo/demo_signals.h"
#include "cmd/demo/demo_story.h"
#include "cmd/demo/demo_tour.h"
#include "cmd/text/job_text.h"
#include "infrastructure/paths.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr const char* kSimulated = "dgx-h100";
constexpr int kSimulatedNodes = 2;
constexpr int kFollowSeconds = 60;
constexpr int kPauseMs = 20;

struct DemoFlags {
  std::string nvml;
  std::string examples;
  bool simulate = false;
  bool tour = false;
  bool ml = false;
};

// The demo from its first line to its last; every step may end it early.
class Demo {
 public:
  explicit Demo(const DemoFlags& flags) : flags_(flags) {}

  // The exit code.
  int Run() {
    const Status outcome = Tell();
    const std::vector<std::string> left =
        host_ == nullptr ? std::vector<std::string>() : host_->Stop();
    problems_.insert(problems_.end(), left.begin(), left.end());
    return Conclude(outcome);
  }

 private:
  Status Tell() {
    GP_CHECK_OK(ShowMachine());
    GP_CHECK_OK(ShowCluster());
    GP_CHECK_OK(Submit());
    GP_CHECK_OK(Follow());
    if (IsDemoInterrupted()) return Ok();
    const auto wrong = JudgeDemo(jobs_, places_, cluster_);
    problems_.insert(problems_.end(), wrong.begin(), wrong.end());
    ShowResults();
    return Ok();
  }

  Status ShowMachine() {
    // The programs of its jobs, as the README shows them, are in Python,
    // with its whole library, which Debian's python3-minimal lacks.
    if (std::system("python3 -c 'import argparse, json, signal, subprocess' 2> /dev/null") != 0)
      return Fail(Conflict("the jobs of the demo need python3: apt install python3"));
    isolation_ = GP_TRY(ProbeIsolation());  // forks: before any thread
    discovery_ = GP_TRY(TimeDiscovery(flags_.nvml, flags_.simulate, kSimulated));
    story_.Title("gpu-platform demo: four jobs, from submit to exit code");
    story_.Section("Machine");
    story_.Machine(discovery_, kSimulatedNodes);
    story_.Isolation(isolation_);
    return Ok();
  }

  Status ShowCluster() {
    DemoHost::Options options;
    options.nvml = flags_.nvml;
    options.examples = flags_.examples;
    const int nodes = discovery_.real ? 1 : kSimulatedNodes;
    if (!discovery_.real) options.simulate = fmt::format("{}:{}", kSimulated, nodes);
    const int64_t begin = SystemClock().BootNs();
    host_ = GP_TRY(DemoHost::Start(options));
    cluster_ = GP_TRY(host_->AwaitNodes(nodes));
    story_.Section(fmt::format("Cluster: a controller, {} agent{}, ready after {:.0f} ms", nodes,
                               nodes == 1 ? "" : "s", MillisecondsSince(begin)));
    story_.Nodes(cluster_);
    places_ = {host_->examples(), host_->checkpoints(), {}, isolation_.devices};
    if (!discovery_.real) places_.device_directories = host_->DeviceDirectories(nodes);
    jobs_ = GP_TRY(LoadDemoJobs(places_, cluster_));
    const JobSpec& largest = jobs_.back().spec;
    if (largest.resources.nodes * largest.resources.gpus.count < 16)
      story_.Line("gangs are cut to the GPUs that are here");
    return Ok();
  }

  Status Submit() {
    story_.Section("Submit");
    for (DemoJob& job : jobs_) {
      const int64_t begin = SystemClock().BootNs();
      job.id = GP_TRY(host_->client().Submit(job.spec));
      job.acknowledged_ms = MillisecondsSince(begin);
      job.seen = GP_TRY(host_->client().Job(job.id));
      story_.Submitted(job);
    }
    return Ok();
  }

  Status Follow() {
    story_.Section("What happens");
    const int64_t begin = SystemClock().BootNs();
    while (!IsDemoInterrupted() && MillisecondsSince(begin) < kFollowSeconds * 1000) {
      bool over = true;
      for (DemoJob& job : jobs_) {
        GP_CHECK_OK(Look(job));
        over = over && IsOver(job.seen);
      }
      if (over) return Ok();
      poll(nullptr, 0, kPauseMs);
    }
    return Ok();
  }

  // Prints what is new about a job.
  Status Look(DemoJob& job) {
    if (reported_end_.contains(job.id)) return Ok();
    job.seen = GP_TRY(host_->client().Job(job.id));
    const bool waits = job.seen.state() == v1::QUEUED && !job.seen.reason().empty();
    if (waits && job.wait_reason.empty()) {
      job.wait_reason = job.seen.reason();
      story_.Waits(job);
    }
    if (!job.seen.has_started_at() && !IsOver(job.seen)) return Ok();
    if (told_start_.insert(job.id).second) story_.Starts(job);
    const std::string output = GP_TRY(host_->client().Output(job.id));
    Quote(job, output);
    if (!IsOver(job.seen)) return Ok();
    if (job.role == DemoRole::kProbe) story_.Probed(job, cluster_);
    story_.Ends(job);
    reported_end_.insert(job.id);
    return Ok();
  }

  // Prints whole new lines; the many lines of the probe are summed up at its end.
  void Quote(DemoJob& job, const std::string& output) {
    const size_t outcome = job.output.size();
    job.output = output.substr(0, output.rfind('\n') + 1);
    if (job.role == DemoRole::kProbe || job.output.size() <= outcome) return;
    for (const std::string& line : Split(job.output.substr(outcome), '\n')) {
      if (!line.empty()) story_.Quote(job, line);
    }
  }

  void ShowResults() {
    story_.Section("Results");
    story_.Table(jobs_);
    story_.Section("Figures of this run");
    for (const std::string& line : DemoFigures(discovery_, jobs_)) story_.Line(line);
  }

  int Conclude(const Status& outcome) {
    std::printf("\n");
    if (IsDemoInterrupted()) {
      story_.Verdict(problems_.empty(), "interrupted; the demo has been stopped and removed");
      for (const std::string& problem : problems_) story_.Line(problem);
      return kExitInterrupted;
    }
    if (!outcome) problems_.insert(problems_.begin(), outcome.error().message);
    if (problems_.empty()) {
      story_.Verdict(true, "All checks passed; nothing is left behind.");
      story_.Line(
          "On your own: gpu-platform serve --simulate dgx-h100:2, then status, run, watch.");
      return kExitOk;
    }
    story_.Verdict(false,
                   fmt::format("{} not as expected:", Count(std::ssize(problems_), "thing")));
    for (const std::string& problem : problems_) story_.Line(problem);
    return kExitInternal;
  }

  const DemoFlags flags_;
  const DemoStory story_;
  IsolationReport isolation_;
  DemoDiscovery discovery_;
  std::unique_ptr<DemoHost> host_;
  v1::Cluster cluster_;
  DemoPlaces places_;
  std::vector<DemoJob> jobs_;
  std::set<std::string> told_start_;
  std::set<std::string> reported_end_;
  std::vector<std::string> problems_;
};

// The script takes the place of this process: it hears the signals, and its exit code counts.
// Returns if it cannot.
Error BecomeMlDay(const std::string& examples) {
  std::string python = "python3";
  std::string script = examples + "/ml_day/ml_day.py";
  std::string option = "--binary";
  std::string program = ExecutablePath();
  if (access(script.c_str(), R_OK) != 0)
    return NotFound("no " + script + ": " + std::strerror(errno));
  char* argv[] = {python.data(), script.data(), option.data(), program.data(), nullptr};
  execvp(python.c_str(), argv);
  return Conflict("the demo needs python3: apt install python3");
}

void RunDemo(DemoFlags flags, Cli& cli) {
  if (flags.examples.empty()) {
    const std::filesystem::path program = ExecutablePath();
    flags.examples = program.parent_path().parent_path() / "share/gpu-platform/examples";
  }
  if (flags.ml) return cli.Complain(BecomeMlDay(flags.examples));
  HearDemoSignals();
  cli.exit_code = flags.tour ? DemoTour({flags.examples, flags.nvml}).Run() : Demo(flags).Run();
}

}  // namespace

void AddDemo(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "demo", "Run four checked jobs on this machine's GPUs, or on simulated ones: half a minute");
  auto flags = std::make_shared<DemoFlags>();
  CLI::Option* tour = sub->add_flag(
      "--tour", flags->tour,
      "Run the tour instead: priorities, faults, scaling, monitoring and a job to watch, "
      "on simulated nodes; half a minute");
  sub->add_flag("--ml", flags->ml,
                "Run a day of machine learning instead: data, an image, training on two simulated "
                "nodes, the loss of one; needs root; half a minute")
      ->excludes(tour);
  sub->add_flag("--simulate", flags->simulate, "Simulate nodes even if this machine has GPUs");
  sub->add_option("--examples", flags->examples, "Directory of the job files and their programs")
      ->type_name("DIRECTORY");
  sub->add_option("--nvml", flags->nvml, "NVML library to load")->type_name("FILE");
  sub->callback([flags, &cli] { RunDemo(*flags, cli); });
}

}  // namespace gp
