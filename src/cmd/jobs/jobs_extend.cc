// Changes the time limit of a job that has one.

#include "cmd/jobs/jobs.h"

#include <fmt/format.h>

#include "base/text.h"

namespace gp {
namespace {

struct ExtendFlags {
  std::string job;
  std::string by;
  std::string to;
  bool force = false;
};

void Extend(const ExtendFlags& flags, Cli& cli) {
  if (flags.by.empty() == flags.to.empty())
    return cli.Complain(InvalidArgument("give either --by or --to"));
  v1::SetTimeLimitRequest request;
  request.set_job_id(flags.job);
  request.set_force(flags.force);
  const auto span = ParseDuration(flags.by.empty() ? flags.to : flags.by);
  if (!span) return cli.Complain(span.error().Within(flags.by.empty() ? "--to" : "--by"));
  if (flags.by.empty())
    request.set_time_limit_ms(span->ToMilliseconds());
  else
    request.set_longer_by_ms(span->ToMilliseconds());
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto job = (*client)->Call<v1::Job>("SetTimeLimit", request);
  if (!job) return cli.Complain(job.error());
  if (cli.PrintDocument(*job)) return;
  cli.Say(job->id() + ": may run for " +
          ToText(Duration::Milliseconds(job->spec().time_limit_ms())));
}

}  // namespace

void AddExtend(CLI::App& jobs, Cli& cli) {
  CLI::App* sub =
      jobs.add_subcommand("extend", "Change the time limit of a job, counted from its placement");
  auto flags = std::make_shared<ExtendFlags>();
  sub->add_option("job", flags->job, "Job by id or name; of an array JOB[3]")->required();
  sub->add_option("--by", flags->by, "Add this to the time limit")->type_name("DURATION");
  sub->add_option("--to", flags->to, "New time limit")->type_name("DURATION");
  sub->add_flag("--force", flags->force, "Even if other jobs wait for its GPUs; operators only");
  sub->callback([flags, &cli] { Extend(*flags, cli); });
}

}  // namespace gp
