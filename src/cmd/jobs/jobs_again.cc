// Jobs that run once more, and jobs in another queue.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/job_spec.h"
#include "base/text.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/job_selection.h"
#include "cmd/jobs/jobs.h"
#include "cmd/jobs/submit.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

// The spec of a finished job, to be submitted again.
// `self`: the caller; the new job runs as this user.
Result<JobSpec> SpecToRetry(const v1::Job& job, const std::string& self) {
  if (!IsOver(job))
    return Fail(Conflict(job.id() + " is " + v1::JobState_Name(job.state()) +
                         ": only a finished job can be retried"));
  if (job.has_array_index())
    return Fail(
        Conflict(job.id() + " is an element of an array: retry the array, " + job.array_id()));
  if (job.user() != self)
    return Fail(PermissionDenied(job.id() + " belongs to " + job.user() +
                                 ": it would run as you, so only its owner retries it"));
  JobSpec spec = GP_TRY(FromProto(job.spec()));
  spec.policy.queue = job.queue();
  return spec;
}

void Retry(const std::vector<std::string>& names, Cli& cli) {
  const auto self = AskSelf(cli);
  if (!self) return cli.Complain(self.error());
  std::vector<JobSpec> specs;
  std::vector<std::string> olds;
  for (const std::string& name : names) {
    const auto job = FetchJob(cli, name);
    if (!job) return cli.Complain(job.error());
    auto spec = SpecToRetry(*job, self->user());
    if (!spec) return cli.Complain(spec.error());
    olds.push_back(job->id());
    specs.push_back(*std::move(spec));
  }
  const auto ids = SubmitSpecs(cli, specs, 1, NewRequestId());
  if (!ids) return cli.Complain(ids.error());
  for (size_t i = 0; i < ids->size(); ++i) cli.Say(ids->at(i) + " retries " + olds[i]);
  if (cli.PrintDocument(nlohmann::ordered_json{{"job_ids", *ids}})) return;
  for (const std::string& id : *ids) std::printf("%s\n", id.c_str());
}

// Moves what the name means.  Of several elements of an array, those whose state does not allow it
// are left out; any other error ends it, because the others fail for the same reason.
Status MoveNamed(const std::string& name, const std::string& queue, v1::ListJobsReply& moved,
                 Cli& cli) {
  v1::ListJobsRequest request;
  request.set_name(name);
  request.set_limit(kArrayMax);
  ControlClient* client = GP_TRY(cli.Controller());
  const auto found = GP_TRY(client->Call<v1::ListJobsReply>("ListJobs", request));
  int count = 0;
  Status last_error = Fail(Conflict(name + ": all of its jobs are over"));
  for (const v1::Job& job : found.jobs()) {
    if (IsOver(job) && found.jobs_size() > 1) continue;
    v1::ChangeJobQueueRequest change;
    change.set_job_id(job.id());
    change.set_queue(queue);
    auto changed = client->Call<v1::Job>("ChangeJobQueue", change);
    if (!changed) {
      last_error = Fail(changed.error());
      if (changed.error().code != ErrorCode::kConflict) return last_error;
      continue;
    }
    *moved.add_jobs() = *std::move(changed);
    ++count;
  }
  if (count == 0) return last_error;
  const v1::Job& last = *moved.jobs().rbegin();
  const std::string limit =
      last.spec().time_limit_ms() == 0
          ? ""
          : ", time limit " + ToText(Duration::Milliseconds(last.spec().time_limit_ms()));
  cli.Say((count == 1 ? last.id() + " is" : name + ": " + Count(count, "job") + " are") +
          " in queue " + queue + limit);
  return Ok();
}

void Move(const std::vector<std::string>& names, const std::string& queue, Cli& cli) {
  v1::ListJobsReply moved;
  bool has_failed = false;
  for (const std::string& name : names) {
    const Status done = MoveNamed(name, queue, moved, cli);
    if (!done) cli.Complain(done.error());
    has_failed = has_failed || !done;
  }
  moved.set_total(moved.jobs_size());
  cli.PrintDocument(moved);
  if (has_failed && moved.jobs_size() > 0) cli.exit_code = kExitPartly;
}

}  // namespace

void AddJobsAgain(CLI::App& jobs, Cli& cli) {
  auto retried = std::make_shared<std::vector<std::string>>();
  CLI::App* retry =
      jobs.add_subcommand("retry", "Submit finished jobs once more; prints the new ids");
  retry->add_option("jobs", *retried, "Jobs by id or name")->required();
  retry->callback([retried, &cli] { Retry(*retried, cli); });
  auto moved = std::make_shared<std::vector<std::string>>();
  auto queue = std::make_shared<std::string>();
  CLI::App* move = jobs.add_subcommand(
      "move", "Move pending jobs to another queue; they keep their time of submit");
  move->add_option("jobs", *moved, "Jobs by id or name; of an array all of it, or JOB[2-7]")
      ->required();
  move->add_option("--queue", *queue, "The new queue")->required()->type_name("QUEUE");
  move->callback([moved, queue, &cli] { Move(*moved, *queue, cli); });
}

}  // namespace gp
