// Single jobs.

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/request_id.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "adapters/wire/job_spec.h"
#include "adapters/wire/views/report_view.h"
#include "domain/cluster/quotas/queue_rules.h"
#include "domain/model/jobs/job_shape.h"
#include "domain/model/jobs/variants.h"
#include "domain/scheduling/reasons/never_fits.h"

namespace gp {
namespace {

constexpr int kJobsPerSubmitMax = 10'000;
// GetJob reads no more, because it runs on one of the few threads for quick calls.  The next call
// goes on from there.
constexpr size_t kReportsOfGetBytes = 1 << 20;

// The jobs of one request.
struct Submission {
  User user;
  std::string request_id;                             // empty: none
  size_t copies = 1;                                  // of each spec in the request
  std::vector<std::shared_ptr<const JobSpec>> specs;  // one for each job, copies included
};

// The number of jobs in the request; 0: the request is not allowed.
int CountSubmitted(const v1::SubmitJobsRequest& request) {
  const int64_t copies = std::max(request.count(), 1);
  int64_t jobs = 0;
  for (const v1::JobSpec& spec : request.specs()) {
    if (spec.has_array() && copies > 1) return 0;
    jobs += spec.has_array() ? std::clamp(spec.array().count(), 1, kArrayMax) : copies;
  }
  return jobs <= kJobsPerSubmitMax ? static_cast<int>(jobs) : 0;
}

// The request without its jobs.
Result<Submission> BeginSubmission(const Caller& caller, const v1::SubmitJobsRequest& request) {
  if (CountSubmitted(request) == 0)
    return Fail(InvalidArgument("count: 1 to 10,000 jobs at a time, and no copies of an array"));
  const std::string& own_id = request.request_id();
  if (own_id.size() > kRequestIdMax)
    return Fail(InvalidArgument("request_id: at most 128 characters"));
  if (!own_id.empty() && !caller.request.id.empty())
    return Fail(InvalidArgument("request_id: is given, and Idempotency-Key too"));
  Submission jobs;
  jobs.user = caller.user;
  jobs.request_id = own_id.empty() ? caller.request.id : own_id;
  jobs.copies = static_cast<size_t>(std::max(request.count(), 1));
  return jobs;
}

// The request id of one of the jobs; empty: none.
std::string RequestIdOf(const Submission& jobs, size_t job) {
  return jobs.request_id.empty() ? "" : jobs.request_id + "/" + std::to_string(job);
}

std::vector<std::pair<ClientRequest, Command>> CommandsOf(const Submission& jobs) {
  std::vector<std::pair<ClientRequest, Command>> commands;
  for (size_t i = 0; i < jobs.specs.size(); ++i)
    commands.emplace_back(RequestIdOf(jobs, i), SubmitJob{jobs.specs[i], jobs.user});
  return commands;
}

Status CheckMayUse(const Caller& caller, const std::string& queue) {
  if (caller.In(queue) >= Role::kUser) return Ok();
  return Fail(PermissionDenied("queue: " + caller.user.name + " may not run jobs in " + queue +
                               " (gpu-platform whoami)"));
}

// A job without a queue goes to the queue of its project, if that exists, or else to the default
// queue.  A caller that may not use both must name a queue.
Status CheckMaySubmit(const Caller& caller, const JobSpec& spec) {
  const auto may_use = [&](const std::string& queue) { return caller.In(queue) >= Role::kUser; };
  if (!spec.policy.queue.empty()) return CheckMayUse(caller, spec.policy.queue);
  if (may_use(kDefaultQueue) && may_use(spec.project)) return Ok();
  return Fail(PermissionDenied("queue: name one that " + caller.user.name +
                               " may use (gpu-platform whoami)"));
}

// The spec of the message, if it is valid and the caller may submit it.
Result<std::shared_ptr<const JobSpec>> ReadSpec(const Caller& caller, const v1::JobSpec& message) {
  JobSpec decoded = GP_TRY(FromProto(message));
  decoded.program.shared_secrets_only = !caller.scope.empty();
  GP_CHECK_OK(ValidateJobSpec(decoded));
  GP_CHECK_OK(CheckMaySubmit(caller, decoded));
  return std::make_shared<const JobSpec>(std::move(decoded));
}

// The job as it would be queued; nullopt: no such queue, which the command reports itself.
std::optional<Job> AsQueued(const State& state, const std::shared_ptr<const JobSpec>& spec,
                            const User& user) {
  const auto queue = state.queues.all.find(QueueFor(state, *spec));
  if (queue == state.queues.all.end()) return std::nullopt;
  Job job;
  job.spec = WithNetworkOf(state, queue->first, spec);
  job.user = user;
  job.queue = queue->first;
  job.pool = queue->second.pool;
  return job;
}

// A shape that fits nowhere is compared with every node, so only the first shapes of a request are
// checked.
constexpr size_t kShapesChecked = 16;

// Refuses a job that no node could ever hold, because it would wait for ever.
Status CheckCouldStart(const State& state, const std::vector<std::shared_ptr<const JobSpec>>& specs,
                       const User& user) {
  std::set<JobShape> known;
  for (const auto& spec : specs) {
    // The command itself refuses an unknown reservation
    const bool is_unknown = !spec->placement.reservation.empty() &&
                            !state.reservations.all.contains(spec->placement.reservation);
    const auto job =
        spec->policy.wait_for_nodes || is_unknown ? std::nullopt : AsQueued(state, spec, user);
    if (!job || known.size() == kShapesChecked || !known.insert(ShapeOf(*job)).second) continue;
    const std::string why = WhyNeverFits(state, *job);
    if (!why.empty())
      return Fail(InvalidArgument("no node can ever hold this: " + why +
                                  "; --wait-for-nodes queues it all the same"));
  }
  return Ok();
}

// Jobs that the same request has queued before are not checked: only their answer is missing.
Status CheckNewCouldStart(const State& state, const Submission& jobs) {
  const std::string first = RequestIdOf(jobs, 0);
  const bool is_repeated =
      !first.empty() && state.jobs.by_request.contains(RequestKey(jobs.user, first));
  return is_repeated ? Ok() : CheckCouldStart(state, jobs.specs, jobs.user);
}

// A hint for the user: what to change, or what to wait for.
std::string HintFor(const JobSpec& spec, bool any_nodes) {
  if (!any_nodes) return "no node has joined yet";
  if (spec.policy.time_limit.ns != 0 || !AsksForGpus(spec) || spec.program.interactive) return "";
  return "no time limit: others may wait for it without end, and it cannot run on reserved nodes "
         "(--time-limit)";
}

// Leaves the list empty if all texts are empty.
void Fill(const std::vector<std::string>& texts,
          google::protobuf::RepeatedPtrField<std::string>* to) {
  if (std::ranges::any_of(texts, [](const std::string& text) { return !text.empty(); }))
    to->Assign(texts.begin(), texts.end());
}

// Fills in the ids of the jobs, with notes and hints.  Fails with the error of the first job that
// was refused.
Status FillSubmitted(const std::vector<Outcome>& outcomes, const Submission& jobs, bool any_nodes,
                     v1::SubmitJobsReply* reply) {
  std::vector<std::string> notes;
  std::vector<std::string> hints;
  for (size_t i = 0; i < outcomes.size(); ++i) {
    const auto& [status, events, job] = outcomes[i];
    if (!status) return status;
    reply->add_job_ids(ToText(job));
    const auto* event = events.empty() ? nullptr : std::get_if<JobSubmitted>(&events.front());
    notes.push_back(event == nullptr ? "" : event->note);
    hints.push_back(HintFor(event == nullptr ? *jobs.specs[i] : *event->spec, any_nodes));
  }
  Fill(notes, reply->mutable_notes());
  Fill(hints, reply->mutable_hints());
  return Ok();
}

}  // namespace

Status ControlApi::SubmitJobs(const Caller& caller, const v1::SubmitJobsRequest& request,
                              v1::SubmitJobsReply* reply) {
  Submission jobs = GP_TRY(BeginSubmission(caller, request));
  for (const v1::JobSpec& message : request.specs()) {
    const auto spec = GP_TRY(ReadSpec(caller, message));
    GP_CHECK_OK(CheckNamed(caller, *spec));
    jobs.specs.insert(jobs.specs.end(), jobs.copies, spec);
  }
  bool any_nodes = false;
  const std::vector<Outcome> outcomes =
      gateway_.ExecuteAll(caller.AsOrigin(), CommandsOf(jobs), [&](const State& state) {
        any_nodes = !state.nodes.all.empty();
        return CheckNewCouldStart(state, jobs);
      });
  GP_CHECK_OK(FillSubmitted(outcomes, jobs, any_nodes, reply));
  return CheckSameAsBefore(outcomes, jobs.specs);
}

// Refuses a request id that was used for different jobs: otherwise the caller would not notice that
// the new jobs are not queued.
Status ControlApi::CheckSameAsBefore(const std::vector<Outcome>& outcomes,
                                     const std::vector<std::shared_ptr<const JobSpec>>& specs) {
  const auto is_repeated = [](const Outcome& outcome) { return outcome.events.empty(); };
  if (std::ranges::none_of(outcomes, is_repeated)) return Ok();
  Status same = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    for (size_t i = 0; i < outcomes.size() && same; ++i) {
      const Job* job = is_repeated(outcomes[i])
                           ? state.FindJob(JobsOf(outcomes[i].job, *specs[i]).front())
                           : nullptr;
      if (job == nullptr) continue;
      JobSpec before = *(job->submitted_spec ? *job->submitted_spec : job->spec);
      before.policy.priority = specs[i]->policy.priority;      // may have been changed since
      before.policy.time_limit = specs[i]->policy.time_limit;  // the same, or its queue's
      if (!job->note.empty()) {  // an exhausted budget, or its queue, may have changed these
        before.policy.preemptible = specs[i]->policy.preemptible;
        before.program.network = specs[i]->program.network;
      }
      if (before != *specs[i])
        same = Fail(Conflict("request_id: was used for " + ToText(outcomes[i].job) +
                             ", which is something else"));
    }
  }));
  return same;
}

Status ControlApi::GetJob(const Caller& caller, const v1::GetJobRequest& request, v1::Job* reply) {
  GP_CHECK_OK(FillJob(caller, request.job_id(), reply));
  const ReportedBy by = MayTell(caller, reply->id());
  reply->MergeFrom(reports_.Of(by.job, by.places, kReportsOfGetBytes).value_or(v1::Job()));
  return Ok();
}

// Reports do not change the job: the watcher looks for new ones itself.
Status ControlApi::WatchJob(const Caller& caller, const v1::GetJobRequest& request,
                            Sink<v1::Job>& out) {
  const auto id = JobFor(caller, JobAct::kSee, request.job_id());
  if (!id) return Fail(id.error());
  constexpr int kLooksAReport = 4;
  const auto watch = feed_.Follow(*id);  // before the first read, so that no change is missed
  while (!out.IsGone()) {
    v1::Job job;
    GP_CHECK_OK(FillJob(caller, ToText(*id), &job));
    const ReportedBy by = MayTell(caller, job.id());
    const v1::Job reports = ReportsOf(by);
    job.MergeFrom(reports);
    if (!out.Write(job) || job.state() >= v1::COMPLETED) break;
    for (int looks = 1; !out.IsGone() && !watch->Next(Duration::Milliseconds(500)); ++looks) {
      if (looks % kLooksAReport == 0 &&
          ReportsOf(by).SerializeAsString() != reports.SerializeAsString())
        break;
    }
  }
  return Ok();
}

Status ControlApi::Change(const Caller& caller, const std::string& job, v1::Job* reply,
                          const std::function<Command(JobId)>& make) {
  const JobId id = GP_TRY(JobFor(caller, JobAct::kChange, job));
  const Outcome outcome = Execute(caller, make(id));
  if (!outcome.status) return outcome.status;
  return FillJob(caller, ToText(id), reply);
}

Status ControlApi::StopJob(const Caller& caller, const v1::StopJobRequest& request,
                           v1::Job* reply) {
  return Change(caller, request.job_id(), reply,
                [&](JobId id) { return gp::StopJob{id, request.force()}; });
}

// A job's new queue decides who may read it: nobody gains that right by moving it, and its owner
// does not lose it.
Status ControlApi::CheckMayMove(const State& state, const Caller& caller, const Job& job,
                                const std::string& queue) {
  if (!JobRights(caller).May(JobAct::kRead, job))
    return Fail(PermissionDenied("only its owner and admins of queue " + job.queue +
                                 " move a job to another queue"));
  const bool is_owners = caller.Owns(job.user) || IsSuperuser(job.user) ||
                         RoleOf(*caller.access, job.user.name, queue) >= Role::kUser;
  if (!is_owners)
    return Fail(PermissionDenied("queue: " + job.user.name + " may not run jobs in " + queue));
  GP_CHECK_OK(CheckSecretsIn(queue, job));
  const auto target = state.queues.all.find(queue);
  if (target == state.queues.all.end() || job.spec->policy.wait_for_nodes) return Ok();
  Job moved = job;
  moved.queue = queue;
  moved.pool = target->second.pool;
  const std::string why = WhyNeverFits(state, moved);
  return why.empty() ? Ok() : Fail(InvalidArgument("no node can ever hold this: " + why));
}

Status ControlApi::ChangeJobQueue(const Caller& caller, const v1::ChangeJobQueueRequest& request,
                                  v1::Job* reply) {
  GP_CHECK_OK(CheckMayUse(caller, request.queue()));
  const JobId id = GP_TRY(JobFor(caller, JobAct::kChange, request.job_id()));
  Status may = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    if (const Job* job = state.FindJob(id))
      may = CheckMayMove(state, caller, *job, request.queue());
  }));
  GP_CHECK_OK(may);
  return Change(caller, ToText(id), reply,
                [&](JobId job) { return gp::ChangeJobQueue{job, request.queue()}; });
}

Status ControlApi::SetTimeLimit(const Caller& caller, const v1::SetTimeLimitRequest& request,
                                v1::Job* reply) {
  if (request.has_time_limit_ms() == request.has_longer_by_ms())
    return Fail(InvalidArgument("time_limit_ms: give either this or longer_by_ms"));
  const JobId id = GP_TRY(JobFor(caller, JobAct::kChange, request.job_id()));
  bool may_force = false;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const Job* job = state.FindJob(id);
    may_force = job != nullptr && caller.In(job->queue) >= Role::kOperator;
  }));
  if (request.force() && !may_force)
    return Fail(PermissionDenied("force: operators of its queue only"));
  ChangeTimeLimit command{id, FromMilliseconds(request.time_limit_ms()),
                          FromMilliseconds(request.longer_by_ms()), request.force()};
  if (request.has_longer_by_ms() && command.longer_by.ns == 0)
    return Fail(InvalidArgument("longer_by_ms: 0 changes nothing"));
  return Change(caller, ToText(id), reply, [&](JobId) { return command; });
}

Status ControlApi::GetJobReport(const Caller& caller, const v1::GetJobRequest& request,
                                v1::JobReport* reply) {
  const JobId id = GP_TRY(JobFor(caller, JobAct::kSee, request.job_id()));
  bool is_known = false;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const Job* job = state.FindJob(id);
    is_known = job != nullptr;
    if (is_known) ReportView(state, *job, gateway_.Now(), reply);
  }));
  return is_known ? Ok() : Fail(NotFound("no job " + ToText(id)));
}

Status ControlApi::HoldJob(const Caller& caller, const v1::GetJobRequest& request, v1::Job* reply) {
  return Change(caller, request.job_id(), reply, [](JobId id) { return gp::HoldJob{id}; });
}

Status ControlApi::ReleaseJob(const Caller& caller, const v1::GetJobRequest& request,
                              v1::Job* reply) {
  return Change(caller, request.job_id(), reply, [](JobId id) { return gp::ReleaseJob{id}; });
}

}  // namespace gp
