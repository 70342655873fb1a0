// Why a job waits, and what would start it.

#include "adapters/inbound/grpc/control_service.h"
#include "adapters/inbound/grpc/status.h"
#include "adapters/wire/explain_view.h"
#include "adapters/wire/job_spec.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide.h"
#include "domain/explaining/explain.h"

namespace gp {
namespace {

// The job as it would stand in the queue if it were submitted now.
Result<Job> Submitted(const State& state, Instant at, const JobSpec& spec, const User& user) {
  const auto shared = std::make_shared<const JobSpec>(spec);
  const std::vector<Event> events = GP_TRY(Decide(state, {at, "", "", gp::SubmitJob{shared, user}}));
  const auto& event = std::get<JobSubmitted>(events.front());
  Job job;
  job.id = event.job;
  job.spec = shared;
  job.user = user;
  job.queue = event.queue;
  job.pool = event.pool;
  job.submitted_at = job.queued_at = at;
  return job;
}

Result<Job> Waiting(const State& state, const std::string& text) {
  const Job* job = state.FindJob(GP_TRY(FindJobNamed(state, text)));
  if (job->state == JobState::kQueued) return *job;
  const std::string reason = job->reason.empty() ? "" : " (" + job->reason + ")";
  return Fail(Conflict(ToText(job->id) + " is " + Name(job->state) + reason + ": only a queued job waits for its turn"));
}

}  // namespace

grpc::Status ControlService::ExplainJob(grpc::ServerContext* context, const v1::ExplainJobRequest* request,
                                        v1::ExplainJobReply* reply) {
  const Result<User> caller = Caller(*context);
  if (!caller) return ToGrpc(caller.error());
  Result<JobSpec> spec = request->has_spec() ? FromProto(request->spec()) : JobSpec{};
  if (!spec) return ToGrpc(spec.error());
  Status found = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    const Instant at = gateway_.Now();
    const Result<Job> job = request->has_spec() ? Submitted(state, at, *spec, *caller) : Waiting(state, request->job_id());
    if (!job) {
      found = Fail(job.error());
      return;
    }
    if (!request->has_spec()) reply->set_job_id(ToText(job->id));
    ExplanationView(*job, Explain(state, at, *job), reply);
    // What others run with is theirs.
    const bool own = job->user.uid == caller->uid || Administrator(*context).has_value();
    if (!own) for (v1::Change& change : *reply->mutable_changes()) change.clear_spec();
  });
  return ToGrpc(read ? found : read);
}

}  // namespace gp
