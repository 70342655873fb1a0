#include "cmd/jobs/jobs.h"

#include <algorithm>
#include <functional>

#include "cmd/text/job_text.h"

namespace gp {
namespace {

// The message about the jobs that a name selected.
using Words = std::function<std::string(const std::string& name, const v1::ListJobsReply& changed)>;

void ChangeAll(v1::ChangeJobsRequest::Action action, const std::vector<std::string>& names,
               const Words& words, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  size_t failed = 0;
  v1::ListJobsReply all;
  for (const std::string& name : names) {
    v1::ChangeJobsRequest request;
    request.set_name(name);
    request.set_action(action);
    const auto changed = (*client)->Call<v1::ListJobsReply>("ChangeJobs", request);
    if (!changed) {
      cli.Complain(changed.error());
      ++failed;
      continue;
    }
    all.mutable_jobs()->MergeFrom(changed->jobs());
    cli.Say(changed->jobs_size() == 0 ? name + ": none of them is in a state for that"
                                      : words(name, *changed));
  }
  all.set_total(all.jobs_size());
  cli.PrintDocument(all);
  if (failed > 0 && failed < names.size()) cli.exit_code = kExitPartly;
}

// "job-3 HELD", or of several how many.
std::string StateWords(const std::string& name, const v1::ListJobsReply& changed) {
  const v1::Job& first = changed.jobs(0);
  return (changed.jobs_size() == 1 ? first.id() + " "
                                   : name + ": " + Count(changed.jobs_size(), "job") + " ") +
         first.detail();
}

}  // namespace

void StopJobs(const std::vector<std::string>& names, bool force, Cli& cli) {
  const auto words = [force](const std::string& name,
                             const v1::ListJobsReply& changed) -> std::string {
    const bool are_over = std::ranges::all_of(changed.jobs(), IsOver);
    if (changed.jobs_size() > 1)
      return name + ": " + Count(changed.jobs_size(), "job") +
             (are_over ? " cancelled"
              : force  ? " are being killed"
                       : " are being stopped");
    const v1::Job& job = changed.jobs(0);
    // For an array, the one element that was left
    const std::string& id = job.id();
    if (IsOver(job)) return id + " " + job.detail() + " (" + job.reason() + ")";
    return id + (force ? " is being killed" : " is being stopped: SIGTERM, then its grace") +
           " (gpu-platform jobs wait " + id + ")";
  };
  ChangeAll(force ? v1::ChangeJobsRequest::KILL : v1::ChangeJobsRequest::STOP, names, words, cli);
}

void HoldJobs(const std::vector<std::string>& names, Cli& cli) {
  ChangeAll(v1::ChangeJobsRequest::HOLD, names, StateWords, cli);
}

void ReleaseJobs(const std::vector<std::string>& names, Cli& cli) {
  ChangeAll(v1::ChangeJobsRequest::RELEASE, names, StateWords, cli);
}

}  // namespace gp
