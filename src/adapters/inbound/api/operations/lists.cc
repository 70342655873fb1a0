// Lists of jobs, and changes to all jobs that a name means.

#include <algorithm>
#include <set>
#include <vector>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/job_lookup.h"
#include "adapters/inbound/api/page.h"
#include "adapters/wire/views/array_view.h"
#include "adapters/wire/views/views.h"
#include "base/text.h"
#include "domain/accounting/account.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/decide/decide.h"

namespace gp {
namespace {

constexpr int kIdsMax = 10'000;  // of one change
constexpr int kValuesMax = 100;  // of each filter of a list

template <typename Texts>
bool IsAmong(const Texts& wanted, const std::string& text) {
  return wanted.empty() || std::ranges::find(wanted, text) != wanted.end();
}

bool IsInQueue(const Job& job, const v1::ListJobsRequest& request) {
  return request.queues().empty() ||
         std::ranges::any_of(PathsTo(job.queue), [&](const std::string& path) {
           return std::ranges::find(request.queues(), path) != request.queues().end();
         });
}

bool HasLabels(const Job& job, const v1::ListJobsRequest& request) {
  return std::ranges::all_of(request.labels(), [&](const std::string& wanted) {
    const size_t equals = std::min(wanted.find('='), wanted.size());
    const auto found = job.spec->labels.find(wanted.substr(0, equals));
    return found != job.spec->labels.end() &&
           (equals == wanted.size() || found->second == wanted.substr(equals + 1));
  });
}

// Without labels: those are the owner's.
bool Matches(const Job& job, Instant since, const v1::ListJobsRequest& request) {
  if (!request.user().empty() && job.user.name != request.user()) return false;
  if (!IsAmong(request.job_names(), job.spec->name)) return false;
  if (!IsAmong(request.projects(), job.spec->project)) return false;
  if (!IsInQueue(job, request)) return false;
  if (request.held() && job.state != JobState::kHeld) return false;
  if (IsTerminal(job.state) && job.ended_at < since) return false;
  if (request.states_size() == 0)
    return request.all() || !request.name().empty() || !IsTerminal(job.state);
  return std::ranges::count(request.states(), static_cast<int>(Shown(job.state)) + 1) > 0;
}

// The jobs that the request asks for and the caller may see.
Result<std::vector<const Job*>> FindMatches(const State& state, const Caller& caller,
                                            const v1::ListJobsRequest& request) {
  JobRights rights(caller);
  const Instant since =
      request.since_ms() <= 0
          ? Instant{}
          : InstantOf(state.time, Instant{FromMilliseconds(request.since_ms()).ns});
  std::vector<const Job*> found;
  if (request.name().empty()) {
    for (const auto& [id, job] : state.jobs.all) found.push_back(&job);
  } else {
    const std::string name = GP_TRY(JobNameFor(state, caller, JobAct::kSee, request.name()));
    for (const JobId id : GP_TRY(FindJobsNamed(state, name))) found.push_back(state.FindJob(id));
  }
  std::erase_if(found, [&](const Job* job) {
    if (!Matches(*job, since, request) || !rights.May(JobAct::kSee, *job)) return true;
    return !request.labels().empty() &&
           !(rights.May(JobAct::kRead, *job) && HasLabels(*job, request));
  });
  if (!request.arrays_as_one()) return found;
  const auto is_of_one = [](const Job* a, const Job* b) {
    return a->array.value != 0 && a->array == b->array;
  };
  const auto more = std::ranges::unique(found, is_of_one);
  found.erase(more.begin(), more.end());
  return found;
}

// Each job is compared with all values, on the writer's thread.
Status CheckFilters(const v1::ListJobsRequest& request) {
  for (const auto& [field, count] :
       {std::pair("job_names", request.job_names_size()),
        std::pair("queues", request.queues_size()), std::pair("projects", request.projects_size()),
        std::pair("labels", request.labels_size()), std::pair("states", request.states_size())}) {
    if (count > kValuesMax)
      return Fail(InvalidArgument(std::string(field) + ": at most " + std::to_string(kValuesMax)));
  }
  return Ok();
}

Result<JobId> ParsePageStart(const std::string& text) {
  if (text.empty()) return JobId{};
  const auto id = ParseOneJob(text);
  if (!id) return Fail(id.error().Within("after"));
  return *id;
}

// A part of a list of jobs.
struct JobPage {
  std::vector<const Job*> jobs;
  bool has_more = false;  // jobs follow it
};

bool IsShownAsArray(const Job& job, bool arrays_as_one) {
  return arrays_as_one && job.array.value != 0;
}

JobPage PageAfter(JobId after, const std::vector<const Job*>& jobs,
                  const v1::ListJobsRequest& request) {
  const auto limit = static_cast<size_t>(PageSize(request.limit()));
  JobPage page;
  for (const Job* job : jobs) {
    const bool is_array = IsShownAsArray(*job, request.arrays_as_one());
    if ((is_array ? job->array : job->id) <= after) continue;
    page.has_more = page.jobs.size() == limit;
    if (page.has_more) break;
    page.jobs.push_back(job);
  }
  return page;
}

// Those of the jobs that the state still has.
std::vector<const Job*> FindKept(const State& state, const std::vector<JobId>& ids) {
  std::vector<const Job*> kept;
  for (const JobId id : ids) {
    if (const Job* job = state.FindJob(id)) kept.push_back(job);
  }
  return kept;
}

// The requested action as a command for one job.
Command ChangeOf(v1::ChangeJobsRequest::Action action, JobId job) {
  switch (action) {
    case v1::ChangeJobsRequest::HOLD: return HoldJob{job};
    case v1::ChangeJobsRequest::RELEASE: return ReleaseJob{job};
    default: return StopJob{job, action == v1::ChangeJobsRequest::KILL};
  }
}

// Names of users are looked up among all jobs, on the writer's thread: only one at a time.
Status CheckIds(const v1::ChangeJobsRequest& request) {
  if (request.names_size() > kIdsMax)
    return Fail(InvalidArgument("names: at most " + std::to_string(kIdsMax)));
  for (const std::string& name : request.names()) {
    if (const auto id = ParseJobName(name); !id) return Fail(id.error().Within("names"));
  }
  return Ok();
}

}  // namespace

void ControlApi::FillLines(const State& state, const std::vector<const Job*>& jobs,
                           bool arrays_as_one, JobRights& rights, v1::ListJobsReply* reply) const {
  PendingReasons reasons(state, gateway_.Now(), &gateway_.NewestPlan());
  for (const Job* job : jobs) {
    v1::Job* line = reply->add_jobs();
    if (IsShownAsArray(*job, arrays_as_one)) {
      ArrayLine(state, job->array, gateway_.Now(), reasons, line);
    } else {
      JobLine(state, *job, gateway_.Now(), reasons, line);
    }
    Redact(rights, *job, line);
  }
}

Status ControlApi::ListJobs(const Caller& caller, const v1::ListJobsRequest& request,
                            v1::ListJobsReply* reply) {
  GP_CHECK_OK(CheckFilters(request));
  const JobId after = GP_TRY(ParsePageStart(request.after()));
  Status found = Ok();
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    JobRights rights(caller);
    const auto jobs = FindMatches(state, caller, request);
    found = jobs ? Ok() : Fail(jobs.error());
    if (!found) return;
    const JobPage page = PageAfter(after, *jobs, request);
    FillLines(state, page.jobs, request.arrays_as_one(), rights, reply);
    if (page.has_more) reply->set_next(reply->jobs(reply->jobs_size() - 1).id());
    reply->set_total(static_cast<int64_t>(jobs->size()));
  }));
  return found;
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

Result<std::vector<JobId>> ControlApi::FindChangeable(const State& state, const Caller& caller,
                                                      const std::string& text) {
  const std::string name = GP_TRY(JobNameFor(state, caller, JobAct::kChange, text));
  std::vector<JobId> ids = GP_TRY(FindJobsNamed(state, name));
  // They have one owner, but may be in different queues
  for (const JobId id : ids) GP_CHECK_OK(CheckMay(caller, JobAct::kChange, *state.FindJob(id)));
  return ids;
}

// Those of the ids that the state still has and the caller may change: of a request that was
// answered before.  A name of users may mean another job now.
std::set<JobId> ControlApi::FindStillKnown(const State& state, const Caller& caller,
                                           const std::vector<std::string>& names) {
  std::set<JobId> ids;
  for (const std::string& name : names) {
    if (!ParseJobName(name)) continue;
    const auto named = FindChangeable(state, caller, name);
    if (named) ids.insert(named->begin(), named->end());
  }
  return ids;
}

Result<std::vector<JobId>> ControlApi::ChangeNamed(const Caller& caller,
                                                   const v1::ChangeJobsRequest& request) {
  std::vector<std::string> names(request.names().begin(), request.names().end());
  if (!request.name().empty() || names.empty()) names.push_back(request.name());
  std::set<JobId> ids;
  Status found = Ok();
  bool is_repeated = false;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    const auto repeated = gp::IsRepeated(state, gateway_.Now(), caller.AsOrigin(), caller.request);
    if (!repeated) return void(found = Fail(repeated.error()));
    is_repeated = *repeated;
    if (is_repeated) return void(ids = FindStillKnown(state, caller, names));
    for (const std::string& name : names) {
      const auto named = FindChangeable(state, caller, name);
      if (!named) return void(found = Fail(named.error()));
      ids.insert(named->begin(), named->end());
    }
  }));
  if (!found) return Fail(found.error());
  std::vector<JobId> all(ids.begin(), ids.end());
  return is_repeated ? Result<std::vector<JobId>>(std::move(all))
                     : ChangeAll(caller, all, request.action());
}

Status ControlApi::ChangeJobs(const Caller& caller, const v1::ChangeJobsRequest& request,
                              v1::ListJobsReply* reply) {
  if (!v1::ChangeJobsRequest::Action_IsValid(request.action()))
    return Fail(InvalidArgument("action: STOP, KILL, HOLD or RELEASE"));
  GP_CHECK_OK(CheckIds(request));
  const std::vector<JobId> changed = GP_TRY(ChangeNamed(caller, request));
  return gateway_.Read([&](const State& state) {
    JobRights rights(caller);
    FillLines(state, FindKept(state, changed), false, rights, reply);
    reply->set_total(reply->jobs_size());
  });
}

}  // namespace gp
