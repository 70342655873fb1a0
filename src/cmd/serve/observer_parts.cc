#include "cmd/serve/observer_parts.h"

#include <unistd.h>

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/inbound/api/job_reports.h"
#include "adapters/outbound/notify/deliver.h"
#include "domain/model/jobs/array.h"

namespace gp {

namespace {

// What the line of a job shows.
struct LineFacts {
  JobId id;
  JobId array;
  std::shared_ptr<const JobSpec> spec;
  std::string user;
  std::string queue;
  JobState state = JobState::kQueued;
};

EventLine LineOf(const LineFacts& job) {
  EventLine line{LogLevel::kInfo,
                 std::string(kJobMetrics),
                 {{"job", ElementName(job.array, job.id)},
                  {"name", job.spec->name},
                  {"user", job.user},
                  {"queue", job.queue}}};
  if (IsTerminal(job.state)) line.fields.emplace_back("state", Name(job.state));
  return line;
}

// Only running jobs have leases.
Result<std::vector<JobId>> FindRunning(ControlLoop& loop) {
  std::vector<JobId> jobs;
  GP_CHECK_OK(loop.Read([&](const State& state) {
    for (const auto& [id, lease] : state.leases.all) {
      // The ranks of a job mostly follow one another.
      if (jobs.empty() || jobs.back() != lease.job) jobs.push_back(lease.job);
    }
  }));
  return jobs;
}

// Those of the jobs that are wanted, without their places.
Result<std::vector<ReportingJob>> FindWanted(ControlLoop& loop, const std::set<JobId>& jobs,
                                             const ReportingQuery& query) {
  std::vector<LineFacts> all;
  GP_CHECK_OK(loop.Read([&](const State& state) {
    for (const JobId id : jobs) {
      if (const Job* job = state.FindJob(id))
        all.push_back({id, job->array, job->spec, job->user.name, job->queue, job->state});
    }
  }));
  std::vector<ReportingJob> wanted;
  for (const LineFacts& one : all) {
    ReportingJob job{one.id, LineOf(one), {}, IsTerminal(one.state)};
    if (query.is_wanted(job.line)) wanted.push_back(std::move(job));
  }
  return wanted;
}

// The writer waits during each read, so these only copy.  The lines and sets are made of the copies
// afterwards, and the sets only for jobs that are wanted.
Result<std::vector<ReportingJob>> FindReporting(ControlLoop& loop, const ReportingQuery& query) {
  std::set<JobId> jobs = query.also;
  if (query.running) {
    const std::vector<JobId> running = GP_TRY(FindRunning(loop));
    jobs.insert(running.begin(), running.end());
  }
  std::vector<ReportingJob> wanted = GP_TRY(FindWanted(loop, jobs, query));
  if (wanted.empty()) return wanted;
  std::vector<std::vector<AttemptNodes>> nodes(wanted.size());
  GP_CHECK_OK(loop.Read([&](const State& state) {
    for (size_t i = 0; i < wanted.size(); ++i) {
      if (const Job* job = state.FindJob(wanted[i].id)) nodes[i] = NodesOfAttempts(*job);
    }
  }));
  for (size_t i = 0; i < wanted.size(); ++i)
    wanted[i].places = MetricPlacesOf(wanted[i].id, nodes[i]);
  return wanted;
}

}  // namespace

Status NotifierPart::Start() {
  if (!config_.notify) return Ok();
  const NotifyConfig& receivers = *config_.notify;
  for (const Receiver& receiver : receivers.receivers) {
    if (const std::string problem = ProblemOf(receiver); !problem.empty())
      log_.Write(LogLevel::kWarning, "notify: " + receiver.name + ": " + problem);
  }
  const std::string& place = config_.ephemeral ? config_.run_directory : config_.state_directory;
  const auto say = [this](LogLevel level, const std::string& text) { log_.Write(level, text); };
  ControlLoop& loop = recovery_.loop();
  const auto ledger_now = [&loop] { return loop.Now(); };
  const auto reporting = [this](const ReportingQuery& query) -> Result<std::vector<ReportingJob>> {
    if (!writes_) return Fail(Unavailable("the controller begins"));
    return FindReporting(recovery_.loop(), query);
  };
  notifier_ = GP_TRY(Notifier::Start(receivers, place + "/notify", say, clock_, ledger_now,
                                     {&records_.metrics(), reporting}));
  loop.AddObserver(notifier_.get());
  return Ok();
}

Status NotifierPart::CatchUp() {
  writes_ = true;
  if (notifier_ == nullptr) return Ok();
  return recovery_.loop().Read([this](const State& state) { notifier_->CatchUp(state); });
}

Status TracesPart::Start() {
  if (config_.traces.empty()) return Ok();
  traces_ = std::make_unique<TraceExporter>(TraceExporter::Options{
      .collector = GP_TRY(ParseCollector(config_.traces)),
      .version = GP_VERSION,
      .say = [this](LogLevel level, const std::string& text) { log_.Write(level, text); }});
  recovery_.loop().AddObserver(traces_.get());
  return Ok();
}

Status TelemetryPart::Start() {
  recovery_.loop().AddObserver(&metrics_);
  if (!config_.log) return Ok();
  log_ = std::make_unique<EventLog>(STDERR_FILENO, *config_.log, clock_);
  recovery_.loop().AddObserver(log_.get());
  return Ok();
}

}  // namespace gp
