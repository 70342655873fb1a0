#include "cmd/serve/observer_parts.h"

#include <unistd.h>

#include <set>

#include "adapters/inbound/api/job_reports.h"
#include "adapters/outbound/notify/deliver.h"
#include "domain/cluster/arrays.h"

namespace gp {

namespace {

ReportingJob ToReporting(const Job& job) {
  ReportingJob reporting{job.id,
                         {LogLevel::kInfo,
                          std::string(kJobMetrics),
                          {{"job", NameOf(job)},
                           {"name", job.spec->name},
                           {"user", job.user.name},
                           {"queue", job.queue}}},
                         MetricPlacesOf(job),
                         IsTerminal(job.state)};
  if (reporting.is_over) reporting.line.fields.emplace_back("state", Name(job.state));
  return reporting;
}

// Only running jobs have leases.
Result<std::vector<ReportingJob>> FindReporting(ControlLoop& loop, std::set<JobId> jobs) {
  std::vector<ReportingJob> found;
  GP_CHECK_OK(loop.Read([&](const State& state) {
    for (const auto& [id, lease] : state.leases.all) jobs.insert(lease.job);
    for (const JobId id : jobs) {
      if (const Job* job = state.FindJob(id)) found.push_back(ToReporting(*job));
    }
  }));
  return found;
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
  const auto reporting = [this](const std::set<JobId>& also) -> Result<std::vector<ReportingJob>> {
    if (!writes_) return Fail(Unavailable("the controller begins"));
    return FindReporting(recovery_.loop(), also);
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
