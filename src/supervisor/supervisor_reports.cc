// Reports of the job, and requests for checkpoints: docs/checkpoints.md.

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "supervisor/process/measure_tree.h"
#include "supervisor/process/signal_handlers.h"
#include "supervisor/records/job_link.h"
#include "supervisor/records/metric_limit.h"
#include "supervisor/records/metric_record.h"
#include "supervisor/supervisor.h"

namespace gp {
namespace {

// Limits the load of a job that reports all the time
constexpr int64_t kBetweenReadsNs = 250'000'000;
constexpr int64_t kLookNs = 60'000'000'000;  // for one checkpoint
// For all remaining checks at the job's end, because other jobs wait for its devices
constexpr int64_t kLastLooksNs = 5'000'000'000;
constexpr const char* kNoTime = "it could not be checked in time";

std::string PathHere(const LaunchSpec& spec) {
  constexpr std::string_view kTmp = "/tmp/";
  // The job's /tmp is not mounted yet; this path will appear there.
  const bool is_hidden = spec.private_tmp && geteuid() == 0 && spec.report_pipe.starts_with(kTmp);
  return is_hidden ? std::string(kPrivateTmp) + spec.report_pipe.substr(kTmp.size() - 1)
                   : spec.report_pipe;
}

}  // namespace

Status Supervisor::OpenReports() {
  const LaunchSpec& spec = launch_.spec;
  if (!spec.report_pipe.empty())
    reports_ = GP_TRY(ReportPipe::Make(PathHere(spec), spec.uid, spec.gid));
  if (!spec.log_directory.empty()) metrics_.emplace(MetricsPath(spec.log_directory, spec.log_name));
  return Ok();
}

void Supervisor::BeginReports() {
  const LaunchSpec& spec = launch_.spec;
  if (spec.hang_after.ns > 0) hang_deadline_ = BootNs() + spec.hang_after.ns;
  if (spec.checkpoint_interval.ns > 0) checkpoint_due_ = BootNs() + spec.checkpoint_interval.ns;
}

void Supervisor::TakeReports() {
  if (!reports_.has_value()) return;
  reports_next_ = BootNs() + kBetweenReadsNs;
  for (const std::string& text : reports_->TakeLines()) {
    const Result<ReportLine> line = ParseReportLine(text);
    if (line.has_value()) {
      TakeReport(*line);
    } else {
      Refuse(line.error().message);
    }
  }
  LookAtNext();
}

// Every report but a link is a sign of progress.
void Supervisor::NoteStep(const ReportLine& line) {
  AttemptProgress& progress = status_.progress;
  progress.at.ns = WallNs();
  progress.is_hung = false;
  if (line.has_step) progress.step = line.step;
  if (line.steps > 0) progress.steps = line.steps;
  if (launch_.spec.hang_after.ns > 0 && state_ == State::kRunning)
    hang_deadline_ = BootNs() + launch_.spec.hang_after.ns;
  if (line.complaint.empty()) return;
  Refuse(line.complaint);
}

void Supervisor::Refuse(const std::string& why) {
  status_.progress.refused = why;
  status_changed_ = true;
}

void Supervisor::TakeMetrics(const ReportLine& line) {
  constexpr int64_t kBetweenChangesNs = 1'000'000'000;
  const MetricFile::Moment now{{WallNs()}, BootNs()};
  for (const MetricValue& one : line.metrics) {
    status_changed_ |= JudgeMetric(launch_.spec.metric_limits, one, status_.progress);
    if (!metrics_ || metrics_->Take(one.name, status_.progress.step, one.value, now)) continue;
    Refuse("\"" + one.name + "\": a rank has at most " + std::to_string(kMetricsMax) + " metrics");
  }
  if (metrics_) metrics_->FinishReport(now);
  if (now.boot_ns < metrics_told_) return;
  metrics_told_ = now.boot_ns + kBetweenChangesNs;
  status_changed_ = true;
}

void Supervisor::TakeLinks(const ReportLine& line) {
  if (!line.complaint.empty()) Refuse(line.complaint);
  for (const JobLink& one : line.links) {
    if (!metrics_ || metrics_->TakeLink(one)) continue;
    Refuse("\"" + one.name + "\": a rank has at most " + std::to_string(kLinksMax) +
           " links, and changes them at most 64 times");
  }
}

void Supervisor::TakeReport(const ReportLine& line) {
  if (line.kind == ReportKind::kLink) return TakeLinks(line);
  NoteStep(line);
  if (line.kind == ReportKind::kMetric) return TakeMetrics(line);
  status_changed_ = true;
  if (line.kind != ReportKind::kCheckpoint) return;
  AttemptProgress& progress = status_.progress;
  SpareFromDiscards(line.path);
  CheckpointReport report{++reported_, line.step, line.path,   line.bytes,     line.took,
                          false,       "",        progress.at, line.is_scored, line.score};
  // If checkpoints come faster than they can be checked, the oldest waiting ones are skipped.
  if (unseen_.size() >= kCheckpointReportsMax) unseen_.erase(unseen_.begin() + 1);
  unseen_.push_back(std::move(report));
}

void Supervisor::LookAtNext() {
  if (unseen_.empty() || is_looking_) return;
  if (BootNs() >= looks_until_) {
    unseen_.front().fault = kNoTime;
    return OnLooked({});
  }
  const Status started = StartLook();
  if (started.has_value()) return;
  unseen_.front().fault = started.error().message;
  OnLooked({});
}

// Runs as the job's user and with its mounts, in a process of its own, because a file server may
// block it for ever.
Status Supervisor::StartLook() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
    return Fail(SystemError("cannot make a pipe", errno));
  look_.Reset(ends[0]);
  const Descriptor theirs(ends[1]);
  ChildPlan plan = JobPlan();
  plan.cgroups = nullptr;  // it outlives the job's own processes
  plan.pid_namespace = -1;
  plan.working_directory = "/";
  plan.input = plan.output = plan.errors = null_.get();
  plan.work = [path = unseen_.front().path, output = theirs.get()] {
    return MeasureTree(path, output);
  };
  GP_CHECK_OK(children_.Start(ChildRole::kCheck, plan, std::nullopt));
  is_looking_ = true;
  look_deadline_ = std::min(BootNs() + kLookNs, looks_until_);
  return Ok();
}

void Supervisor::OnLooked(const Exit& exit) {
  look_deadline_ = kNever;
  is_looking_ = false;
  CheckpointReport report = std::move(unseen_.front());
  unseen_.pop_front();
  char text[512] = "";
  const ssize_t count = look_.valid() ? read(look_.get(), text, sizeof text) : 0;
  const std::string found(text, static_cast<size_t>(std::max<ssize_t>(count, 0)));
  look_.Reset();
  if (!report.fault.empty() || !exit.child.failure.empty()) {
    if (report.fault.empty()) report.fault = exit.child.failure;
  } else if (!found.starts_with("= ")) {
    report.fault = found.empty() ? kNoTime : found;
  } else if (const int64_t bytes = std::strtoll(found.c_str() + 2, nullptr, 10);
             bytes < report.bytes) {
    report.fault = "only " + std::to_string(bytes) + " of " + std::to_string(report.bytes) +
                   " bytes are there";
  } else {
    report.is_complete = true;
    report.bytes = bytes;
  }
  // A job that was asked to stop has now written its checkpoint, so it need not run any longer.
  if (report.is_complete && state_ == State::kStopping && launch_.spec.checkpoint_signal != 0)
    kill(-main_pid_, SIGTERM);
  std::vector<CheckpointReport>& reported = status_.progress.checkpoints;
  reported.push_back(std::move(report));
  if (reported.size() > kCheckpointReportsMax) reported.erase(reported.begin());
  status_changed_ = true;
  LookAtNext();
}

// At the job's end, its last reports are still checked, but only for a short time.
void Supervisor::CloseReports() {
  TakeReports();
  hang_deadline_ = checkpoint_due_ = kNever;
  looks_until_ = BootNs() + kLastLooksNs;
  if (look_deadline_ != kNever) look_deadline_ = std::min(look_deadline_, looks_until_);
  EndDiscards();
}

void Supervisor::OnReportTimeout() {
  hang_deadline_ = kNever;
  status_.progress.is_hung = true;
  status_changed_ = true;
}

void Supervisor::OnCheckpointDue() {
  checkpoint_due_ = BootNs() + launch_.spec.checkpoint_interval.ns;
  if (state_ == State::kRunning) AskForCheckpoint();
}

// False: no process of the job handles the signal.
bool Supervisor::AskForCheckpoint() const {
  const int signal = launch_.spec.checkpoint_signal;
  if (signal == 0) return false;
  return SignalHandlers(cgroups_.Members().value_or(std::vector<pid_t>{main_pid_}), signal) > 0;
}

}  // namespace gp
