#include "adapters/inbound/api/control_api.h"

#include "adapters/inbound/api/job_lookup.h"

#include "adapters/wire/views/array_view.h"
#include "adapters/wire/views/recovery_view.h"
#include "adapters/wire/views/redact_job.h"
#include "adapters/wire/views/views.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide.h"

namespace gp {

void ControlApi::Redact(JobRights& rights, const Job& job, v1::Job* message) {
  if (!rights.May(JobAct::kRead, job)) RedactJob(message);
}

Result<bool> ControlApi::IsRepeated(const Caller& caller) {
  Result<bool> is_repeated = false;
  if (caller.request.id.empty()) return is_repeated;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    is_repeated = gp::IsRepeated(state, gateway_.Now(), caller.AsOrigin(), caller.request);
  }));
  return is_repeated;
}

// A job that the caller may not see is reported as not found.
Result<JobId> ControlApi::FindJobFor(const State& state, const Caller& caller, JobAct act,
                                     const std::string& text) {
  const JobId id = GP_TRY(FindJobNamed(state, GP_TRY(JobNameFor(state, caller, act, text))));
  GP_CHECK_OK(CheckMay(caller, act, *state.FindJob(id)));
  return id;
}

Status ControlApi::CheckMay(const Caller& caller, JobAct act, const Job& job) {
  JobRights rights(caller);
  if (!rights.May(JobAct::kSee, job)) return Fail(NotFound("no job " + NameOf(job)));
  if (!rights.May(act, job))
    return Fail(PermissionDenied(NameOf(job) + " belongs to " + job.user.name));
  return Ok();
}

Result<JobId> ControlApi::JobFor(const Caller& caller, JobAct act, const std::string& text) {
  Result<JobId> found = Fail(Unavailable("the controller ends"));
  GP_CHECK_OK(
      gateway_.Read([&](const State& state) { found = FindJobFor(state, caller, act, text); }));
  return found;
}

Status ControlApi::MayAct(const Caller& caller, JobAct act, const std::string& job) {
  const auto id = JobFor(caller, act, job);
  return id ? Ok() : Fail(id.error());
}

// Shows the progress of the rank that reported last, and what any rank still fetches or copies.
void ControlApi::AddProgress(const State& state, const Job& job, v1::Job* message) const {
  std::optional<v1::LeaseProgress> newest;
  std::optional<v1::LeaseProgress> staging;
  for (const LeaseId id : job.leases) {
    auto progress = progress_.Of(state.FindLease(id)->node, id);
    if (!progress) continue;
    if (!progress->staging().empty()) staging = progress;
    if (!newest || progress->at_ns() > newest->at_ns()) newest = std::move(progress);
  }
  if (staging) {
    newest->set_staging(staging->staging());
    newest->set_staged_bytes(staging->staged_bytes());
    newest->set_staging_bytes(staging->staging_bytes());
    newest->set_staged_layers(staging->staged_layers());
    newest->set_staging_layers(staging->staging_layers());
    newest->set_staging_left_ms(staging->staging_left_ms());
  }
  if (newest) ProgressView(*newest, message->mutable_progress());
}

Status ControlApi::FillFrom(const State& state, const Caller& caller, const std::string& text,
                            v1::Job* reply) const {
  JobRights rights(caller);
  const std::string name = GP_TRY(JobNameFor(state, caller, JobAct::kSee, text));
  if (const auto array = ArrayNamed(state, name)) {
    const Job& first = *state.FindJob(ElementsOf(state, *array).front());
    GP_CHECK_OK(CheckMay(caller, JobAct::kSee, first));
    PendingReasons reasons(state, gateway_.Now(), &gateway_.NewestPlan());
    ArrayLine(state, *array, gateway_.Now(), reasons, reply);
    Redact(rights, first, reply);
    return Ok();
  }
  const Job& job = *state.FindJob(GP_TRY(FindJobFor(state, caller, JobAct::kSee, name)));
  JobView(state, job, gateway_.Now(), reply, &gateway_.NewestPlan());
  AddProgress(state, job, reply);
  Redact(rights, job, reply);
  return Ok();
}

Status ControlApi::FillJob(const Caller& caller, const std::string& name, v1::Job* reply) {
  Status status = Ok();
  GP_CHECK_OK(
      gateway_.Read([&](const State& state) { status = FillFrom(state, caller, name, reply); }));
  return status;
}

}  // namespace gp
