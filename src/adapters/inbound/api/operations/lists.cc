// Lists of jobs, and changes to all jobs that a name means.

#include <algorithm>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/page.h"
#include "adapters/wire/views/array_view.h"
#include "adapters/wire/views/views.h"
#include "base/text.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide.h"

namespace gp {
namespace {

bool Matches(const Job& job, const v1::ListJobsRequest& request) {
  if (!request.user().empty() && job.user.name != request.user()) return false;
  if (request.states_size() == 0)
    return request.all() || !request.name().empty() || !IsTerminal(job.state);
  return std::ranges::count(request.states(), static_cast<int>(Shown(job.state)) + 1) > 0;
}

Result<std::vector<const Job*>> FindMatches(const State& state, JobRights& rights,
                                            const v1::ListJobsRequest& request) {
  std::vector<const Job*> found;
  if (request.name().empty()) {
    for (const auto& [id, job] : state.jobs.all) found.push_back(&job);
  } else {
    for (const JobId id : GP_TRY(FindJobsNamed(state, request.name())))
      found.push_back(state.FindJob(id));
  }
  std::erase_if(found, [&](const Job* job) {
    return !Matches(*job, request) || !rights.May(JobAct::kSee, *job);
  });
  if (!request.arrays_as_one()) return found;
  const auto is_of_one = [](const Job* a, const Job* b) {
    return a->array.value != 0 && a->array == b->array;
  };
  const auto more = std::ranges::unique(found, is_of_one);
  found.erase(more.begin(), more.end());
  return found;
}

Result<JobId> ParsePageStart(const std::string& text) {
  if (text.empty()) return JobId{};
  const auto id = ParseOneJob(text);
  if (!id) return Fail(id.error().Within("after"));
  return *id;
}

// The requested action as a command for one job.
Command ChangeOf(v1::ChangeJobsRequest::Action action, JobId job) {
  switch (action) {
    case v1::ChangeJobsRequest::HOLD: return HoldJob{job};
    case v1::ChangeJobsRequest::RELEASE: return ReleaseJob{job};
    default: return StopJob{job, action == v1::ChangeJobsRequest::KILL};
  }
}

}  // namespace

Status ControlApi::ListJobs(const Caller& caller, const v1::ListJobsRequest& request,
                            v1::ListJobsReply* reply) {
  const auto after = ParsePageStart(request.after());
  if (!after) return Fail(after.error());
  const int limit = PageSize(request.limit());
  Status found = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    JobRights rights(caller);
    const auto jobs = FindMatches(state, rights, request);
    if (!jobs) {
      found = Fail(jobs.error());
      return;
    }
    PendingReasons reasons(state, gateway_.Now(), &gateway_.NewestPlan());
    for (const Job* job : *jobs) {
      const bool is_one = request.arrays_as_one() && job->array.value != 0;
      if ((is_one ? job->array : job->id) <= *after) continue;
      if (reply->jobs_size() == limit) {
        reply->set_next(reply->jobs(limit - 1).id());
        break;
      }
      v1::Job* line = reply->add_jobs();
      if (is_one) {
        ArrayLine(state, job->array, gateway_.Now(), reasons, line);
      } else {
        JobLine(state, *job, gateway_.Now(), reasons, line);
      }
      Redact(rights, *job, line);
    }
    reply->set_total(static_cast<int64_t>(jobs->size()));
  });
  return read ? found : read;
}

// The jobs that were changed; of several, those whose state does not allow it are left out.
Result<std::vector<JobId>> ControlApi::ChangeAll(const Caller& caller,
                                                 const std::vector<JobId>& ids,
                                                 v1::ChangeJobsRequest::Action action) {
  std::vector<std::pair<ClientRequest, Command>> commands;
  const bool is_one = ids.size() == 1;  // if it is refused, its request was not answered
  for (const JobId id : ids)
    commands.emplace_back(is_one ? caller.request : ClientRequest(), ChangeOf(action, id));
  if (!is_one && !caller.request.id.empty())
    commands.emplace_back(caller.request, RememberRequest{});
  const std::vector<Outcome> outcomes =
      gateway_.ExecuteAll(caller.AsOrigin(), std::move(commands), {});
  std::vector<JobId> changed;
  for (size_t i = 0; i < ids.size(); ++i) {
    const Status& status = outcomes[i].status;
    if (status) changed.push_back(ids[i]);
    if (!status && (is_one || status.error().code != ErrorCode::kConflict))
      return Fail(status.error());
  }
  return changed;
}

Status ControlApi::ChangeJobs(const Caller& caller, const v1::ChangeJobsRequest& request,
                              v1::ListJobsReply* reply) {
  if (!v1::ChangeJobsRequest::Action_IsValid(request.action()))
    return Fail(InvalidArgument("action: STOP, KILL, HOLD or RELEASE"));
  Result<std::vector<JobId>> ids = std::vector<JobId>();
  Result<bool> is_repeated = false;
  const Status read = gateway_.Read([&](const State& state) {
    ids = FindJobsNamed(state, request.name());
    if (!ids) return;
    // They come from one submit and so have one owner.
    if (const Status may = CheckMay(caller, JobAct::kChange, *state.FindJob(ids->front())); !may)
      ids = Fail(may.error());
    is_repeated = gp::IsRepeated(state, gateway_.Now(), caller.AsOrigin(), caller.request);
  });
  if (!read) return read;
  if (!ids) return Fail(ids.error());
  if (!is_repeated) return Fail(is_repeated.error());
  const std::vector<JobId> changed =
      *is_repeated ? *ids : GP_TRY(ChangeAll(caller, *ids, request.action()));
  return gateway_.Read([&](const State& state) {
    PendingReasons reasons(state, gateway_.Now(), &gateway_.NewestPlan());
    JobRights rights(caller);
    for (const JobId id : changed) {
      const Job* job = state.FindJob(id);
      if (job == nullptr) continue;
      v1::Job* line = reply->add_jobs();
      JobLine(state, *job, gateway_.Now(), reasons, line);
      Redact(rights, *job, line);
    }
    reply->set_total(reply->jobs_size());
  });
}

}  // namespace gp
