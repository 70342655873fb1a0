// Jobs that run once more, and jobs in another queue.

#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/wire/job_spec.h"
#include "base/text.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/jobs.h"
#include "cmd/jobs/submit.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

// The spec of a finished job, to be submitted again.
Result<JobSpec> SpecToRetry(const v1::Job& job) {
  if (!IsOver(job))
    return Fail(Conflict(job.id() + " is " + v1::JobState_Name(job.state()) +
                         ": only a finished job can be retried"));
  if (job.has_array_index())
    return Fail(
        Conflict(job.id() + " is an element of an array: retry the array, " + job.array_id()));
  if (job.spec().command().empty())
    return Fail(PermissionDenied(job.id() + " belongs to " + job.user()));
  JobSpec spec = GP_TRY(FromProto(job.spec()));
  if (spec.policy.queue.empty()) spec.policy.queue = job.queue();
  return spec;
}

void Retry(const std::vector<std::string>& names, Cli& cli) {
  std::vector<JobSpec> specs;
  std::vector<std::string> olds;
  for (const std::string& name : names) {
    const auto job = FetchJob(cli, name);
    if (!job) return cli.Complain(job.error());
    auto spec = SpecToRetry(*job);
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

void Move(const std::vector<std::string>& names, const std::string& queue, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  v1::ListJobsReply moved;
  size_t failed = 0;
  for (const std::string& name : names) {
    const auto ids = FindJobs(cli, name);
    if (!ids) {
      cli.Complain(ids.error());
      ++failed;
      continue;
    }
    const int before = moved.jobs_size();
    for (const std::string& id : *ids) {
      v1::ChangeJobQueueRequest request;
      request.set_job_id(id);
      request.set_queue(queue);
      const auto job = (*client)->Call<v1::Job>("ChangeJobQueue", request);
      if (!job) {
        cli.Complain(job.error());
        ++failed;
        continue;
      }
      *moved.add_jobs() = *job;
    }
    const int count = moved.jobs_size() - before;
    if (count > 0)
      cli.Say((count == 1 ? moved.jobs(before).id() + " is"
                          : name + ": " + Count(count, "job") + " are") +
              " in queue " + queue);
  }
  moved.set_total(moved.jobs_size());
  cli.PrintDocument(moved);
  if (failed > 0 && moved.jobs_size() > 0) cli.exit_code = kExitPartly;
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
