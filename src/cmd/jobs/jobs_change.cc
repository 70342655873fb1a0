#include "cmd/jobs/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cmd/confirm.h"
#include "cmd/jobs/job_change.h"
#include "cmd/jobs/job_selection.h"
#include "cmd/text/job_table.h"

namespace gp {
namespace {

void ChangeAll(JobAction action, const std::vector<std::string>& names, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  size_t failed = 0;
  v1::ListJobsReply all;
  for (const std::string& name : names) {
    const auto changed = (*client)->Call<v1::ListJobsReply>("ChangeJobs", ChangeOf(action, name));
    if (!changed) {
      cli.Complain(changed.error());
      ++failed;
      continue;
    }
    all.mutable_jobs()->MergeFrom(changed->jobs());
    cli.Say(ChangeWords(action, name, *changed));
  }
  all.set_total(all.jobs_size());
  cli.PrintDocument(all);
  if (failed > 0 && failed < names.size()) cli.exit_code = kExitPartly;
}

}  // namespace

void StopJobs(const std::vector<std::string>& names, bool force, Cli& cli) {
  ChangeAll(force ? v1::ChangeJobsRequest::KILL : v1::ChangeJobsRequest::STOP, names, cli);
}

namespace {

constexpr size_t kRowsShown = 20;    // of the jobs that a selection means
constexpr int kIdsPerCall = 10'000;  // of one page and one change

struct ChangeFlags {
  std::vector<std::string> names;
  JobSelection selection;
  bool all = false;
  bool yes = false;
};

// All jobs that the selection means and the action can change.  A caller who is no operator selects
// among their own jobs, because they may only see those of others.
Result<v1::ListJobsReply> FindSelected(JobAction action, const ChangeFlags& flags, Cli& cli) {
  v1::ListJobsRequest request = GP_TRY(RequestOf(flags.selection, cli));
  if (request.user().empty()) {
    const v1::WhoAmIReply self = GP_TRY(AskSelf(cli));
    if (self.role() != "operator" && self.role() != "admin") request.set_user(self.user());
  }
  request.set_limit(kIdsPerCall);
  ControlClient* client = GP_TRY(cli.Controller());
  v1::ListJobsReply found;
  do {
    const auto page = GP_TRY(client->Call<v1::ListJobsReply>("ListJobs", request));
    for (const v1::Job& job : page.jobs()) {
      if (MayBecome(action, job)) *found.add_jobs() = job;
    }
    request.set_after(page.next());
  } while (!request.after().empty());
  return found;
}

// What would be changed, for the question.
void Show(const v1::ListJobsReply& jobs, const Cli& cli) {
  v1::ListJobsReply first;
  for (size_t i = 0; i < std::min<size_t>(kRowsShown, jobs.jobs_size()); ++i)
    *first.add_jobs() = jobs.jobs(static_cast<int>(i));
  if (cli.quiet) return;
  const TableView view{.columns = {"job", "name", "user", "state", "gpus", "run"}};
  std::fputs(JobTable(first).ToText(view)->c_str(), stderr);
  if (first.jobs_size() < jobs.jobs_size())
    std::fprintf(stderr, "and %d more\n", jobs.jobs_size() - first.jobs_size());
}

Result<v1::ListJobsReply> ChangeIds(JobAction action, const v1::ListJobsReply& jobs, int begin,
                                    Cli& cli) {
  v1::ChangeJobsRequest request;
  request.set_action(action);
  for (int i = begin; i < std::min(begin + kIdsPerCall, jobs.jobs_size()); ++i)
    request.add_names(jobs.jobs(i).id());
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::ListJobsReply>("ChangeJobs", request);
}

// `verb`: "cancel", for the question.
void ChangeSelected(JobAction action, const std::string& verb, const ChangeFlags& flags, Cli& cli) {
  const auto found = FindSelected(action, flags, cli);
  if (!found) return cli.Complain(found.error());
  v1::ListJobsReply changed;
  if (found->jobs().empty()) {
    cli.Say("no jobs match");
    return void(cli.PrintDocument(changed));
  }
  Show(*found, cli);
  const std::string what = Count(found->jobs_size(), "job");
  if (!IsConfirmed(cli, flags.yes, "this would " + verb + " " + what,
                   "Go on to " + verb + " " + what + "?"))
    return;
  for (int begin = 0; begin < found->jobs_size(); begin += kIdsPerCall) {
    const auto reply = ChangeIds(action, *found, begin, cli);
    // Of several jobs, those that have changed meanwhile are left out; of one, the call says so
    const bool came_late = !reply && reply.error().code == ErrorCode::kConflict;
    if (!reply && !came_late) return cli.Complain(reply.error());
    if (reply) changed.mutable_jobs()->MergeFrom(reply->jobs());
  }
  changed.set_total(changed.jobs_size());
  if (cli.PrintDocument(changed)) return;
  cli.Say(fmt::format("{} of {} changed", changed.jobs_size(), what));
}

void AddChange(CLI::App& jobs, Cli& cli, const char* verb, const char* help, JobAction action) {
  CLI::App* sub = jobs.add_subcommand(verb, help);
  auto flags = std::make_shared<ChangeFlags>();
  sub->add_option("jobs", flags->names, "Jobs by id or name; of an array all of it, or JOB[2-7]");
  AddSelectionFlags(*sub, flags->selection);
  sub->add_flag("--all", flags->all, "All jobs that are not over");
  sub->add_flag("--yes,-y", flags->yes, "Do not ask for confirmation");
  sub->callback([flags, verb, action, &cli] {
    const bool selects = flags->all || !flags->selection.empty();
    if (selects == !flags->names.empty())
      return cli.Complain(InvalidArgument(
          "name jobs, or select them by --me, --user, --name, --queue, --project, --state, "
          "--label or --all"));
    if (selects) return ChangeSelected(action, verb, *flags, cli);
    ChangeAll(action, flags->names, cli);
  });
}

}  // namespace

void AddJobsChange(CLI::App& jobs, Cli& cli) {
  AddChange(jobs, cli, "cancel", "Cancel jobs: SIGTERM, their grace period, then SIGKILL",
            v1::ChangeJobsRequest::STOP);
  AddChange(jobs, cli, "kill", "Kill jobs immediately, without a grace period",
            v1::ChangeJobsRequest::KILL);
  AddChange(jobs, cli, "hold", "Hold pending jobs, so that they do not start",
            v1::ChangeJobsRequest::HOLD);
  AddChange(jobs, cli, "release", "Release held jobs", v1::ChangeJobsRequest::RELEASE);
}

}  // namespace gp
