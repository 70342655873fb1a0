// Why a job waits, which changes would start it, and when it may start.

#include <chrono>
#include <optional>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/job_lookup.h"
#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/explain_view.h"
#include "adapters/wire/views/outlook_view.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/dependencies.h"
#include "domain/explaining/explain.h"
#include "domain/explaining/forecast.h"

namespace gp {
namespace {

// The job, or the first element of the array, as it would be queued if it were submitted now.
Result<Job> Submitted(const State& state, Instant at, const JobSpec& spec, const User& user) {
  const auto shared = std::make_shared<const JobSpec>(spec);
  const std::vector<Event> events =
      GP_TRY(Decide(state, {at, "", "", gp::SubmitJob{shared, user}}));
  const auto& event = std::get<JobSubmitted>(events.front());
  Job job;
  job.id = JobsOf(event.job, spec).front();
  if (spec.policy.array.count > 0) job.array = event.job;
  job.spec = event.spec;
  job.note = event.note;
  job.user = user;
  job.queue = event.queue;
  job.pool = event.pool;
  job.submitted_at = job.queued_at = at;
  if (ProspectOf(state, spec) == Prospect::kMet) return job;
  job.state = JobState::kBlocked;
  job.reason = TellOpen(state, spec);
  return job;
}

// An array is explained by its first waiting element, or by any element if none waits.
std::string NameToExplain(const State& state, const std::string& name) {
  const auto array = ArrayNamed(state, name);
  if (!array) return name;
  const std::vector<JobId> elements = ElementsOf(state, *array);
  const auto waits = [&](JobId id) {
    const JobState job = state.FindJob(id)->state;
    return job == JobState::kQueued || job == JobState::kBlocked;
  };
  const auto waiting = std::ranges::find_if(elements, waits);
  return NameOf(state, waiting == elements.end() ? elements.front() : *waiting);
}

Result<Job> Waiting(const State& state, JobId id) {
  const Job* job = state.FindJob(id);
  if (job->state == JobState::kQueued || job->state == JobState::kBlocked) return *job;
  const std::string reason = job->reason.empty() ? "" : " (" + job->reason + ")";
  return Fail(Conflict(NameOf(*job) + " is " + Name(job->state) + reason +
                       "; only a queued job can be explained"));
}

// Submits the job to the copy of the state.
Result<JobId> SubmitTo(State& state, Instant at, const Job& job) {
  const std::vector<Event> events =
      GP_TRY(Decide(state, {at, "", "", gp::SubmitJob{job.spec, job.user}}));
  for (const Event& event : events) Apply(state, at, event);
  return job.id;
}

// `incidents`: for a copy of the state; nullptr: `state` is the state itself.
void FillExplanation(const State& state, Instant at, const Job& job,
                     const IncidentsByGpu* incidents, v1::ExplainJobReply* reply) {
  reply->set_note(job.note);
  if (job.state == JobState::kBlocked) return BlockedView(job, reply);
  ExplanationView(state, job, Explain(state, at, job, incidents), reply);
}

// A job to be explained, as of an instant.
struct Asked {
  Instant at;
  Result<Job> job = Fail(Unavailable("the controller ends"));
  std::optional<Present> present;  // a copy of the state; nullopt: a copy would take too long
};

// Copies the state, if that is quick, and otherwise explains the job at once.
void CopyOrExplain(const State& state, Asked& asked, v1::ExplainJobReply* reply) {
  if (!asked.job) return;
  if (PartsOf(state) <= kPartsMax) {
    asked.present = TakePresent(state);
  } else {
    FillExplanation(state, asked.at, *asked.job, nullptr, reply);
  }
}

// Adds what the writer left out, except a forecast from the copy.
void CompleteExplanation(const v1::ExplainJobRequest& request, const Asked& asked,
                         v1::ExplainJobReply* reply) {
  if (!request.has_spec()) reply->set_job_id(NameOf(*asked.job));
  if (asked.present) {
    const State& state = asked.present->state;
    FillExplanation(state, asked.at, *asked.job, &asked.present->incidents, reply);
    if (request.nodes()) NodeTableView(state, NodeTable(state, asked.at, *asked.job), reply);
  } else if (request.forecast()) {
    reply->mutable_forecast()->set_text("no forecast: too many nodes, leases and open jobs");
  }
}

// Others' commands and environments are private.
void RedactChanges(const Caller& caller, const Job& job, v1::ExplainJobReply* reply) {
  if (JobRights(caller).May(JobAct::kRead, job)) return;
  for (v1::Change& change : *reply->mutable_changes()) change.clear_spec();
}

}  // namespace

Result<Job> ControlApi::FindWaiting(const State& state, const Caller& caller,
                                    const std::string& text) {
  const std::string name = GP_TRY(JobNameFor(state, caller, JobAct::kSee, text));
  return Waiting(state,
                 GP_TRY(FindJobFor(state, caller, JobAct::kSee, NameToExplain(state, name))));
}

// One at a time: on a large cluster it uses a core for seconds.
void ControlApi::FillForecast(Present& present, Instant at, const Job& job,
                              v1::ExplainJobReply* reply) {
  const Lengths lengths(present.past);
  CostView(CostOf(present.state, lengths, at, job), reply->mutable_cost());
  if (reply->starts_now()) return;
  const std::unique_lock turn(forecasting_, kTurnTime);
  if (!turn.owns_lock()) {
    reply->mutable_forecast()->set_text("no forecast: other forecasts are running, try again");
    return;
  }
  if (reply->job_id().empty() && !SubmitTo(present.state, at, job)) {
    reply->mutable_forecast()->set_text("no forecast: the jobs that it waits for have ended");
    return;
  }
  ForecastView(present.state, ForecastStart(present, lengths, at, job.id),
               reply->mutable_forecast());
}

// The writer only copies the state, if that is quick; all else is computed on this thread.
Status ControlApi::ExplainJob(const Caller& caller, const v1::ExplainJobRequest& request,
                              v1::ExplainJobReply* reply) {
  const JobSpec spec = request.has_spec() ? GP_TRY(FromProto(request.spec())) : JobSpec{};
  Asked asked;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    asked.at = gateway_.Now();
    asked.job = request.has_spec() ? Submitted(state, asked.at, spec, caller.user)
                                   : FindWaiting(state, caller, request.job_id());
    CopyOrExplain(state, asked, reply);
  }));
  if (!asked.job && request.has_spec()) return Fail(asked.job.error());
  if (!asked.job) return Fail(WithNotFinite(caller, request.job_id(), asked.job.error()));
  CompleteExplanation(request, asked, reply);
  if (asked.present && request.forecast())
    FillForecast(*asked.present, asked.at, *asked.job, reply);
  RedactChanges(caller, *asked.job, reply);
  return Ok();
}

}  // namespace gp
