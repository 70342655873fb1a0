#include "cmd/jobs/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "cmd/text/hundredths.h"
#include "cmd/text/job_text.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct ListFlags {
  std::string name;
  bool all = false;
  bool expand = false;
  std::string user;
  std::vector<std::string> states;
  int limit = 100;
};

// An array is one line, unless its elements are asked for; documents and names list every job.
bool IsGrouped(const ListFlags& flags, const Cli& cli) {
  return flags.name.empty() && !flags.expand && !cli.WantsDocument() && cli.output != "name";
}

Result<v1::ListJobsReply> FetchJobs(const ListFlags& flags, Cli& cli) {
  v1::ListJobsRequest request;
  request.set_name(flags.name);
  request.set_all(flags.all);
  request.set_arrays_as_one(IsGrouped(flags, cli));
  request.set_user(flags.user);
  request.set_limit(flags.limit);
  for (const std::string& name : flags.states) {
    v1::JobState state{};
    if (!v1::JobState_Parse(name, &state))
      return Fail(InvalidArgument("--state: \"" + Printable(name, 40) +
                                  "\" is none of PENDING (held jobs too) QUEUED RUNNING PREEMPTED "
                                  "COMPLETED FAILED CANCELLED"));
    request.add_states(state);
  }
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::ListJobsReply>("ListJobs", request);
}

std::string Note(const v1::Job& job) {
  if (job.has_elements())
    return ElementsText(job.elements()) + (job.reason().empty() ? "" : "; " + job.reason());
  return job.state() == v1::COMPLETED ? "" : job.reason();
}

// Busy part of the time in which its GPUs were measured; unknown is not zero.
std::string BusyText(const v1::Job& job) {
  return job.has_gpu_busy() ? fmt::format("{:.0f}%", 100 * job.gpu_busy()) : kDash;
}

std::string CostText(const v1::Job& job) {
  if (!job.has_use() || job.use().currency().empty()) return kDash;
  return Hundredths(job.use().cost()) + " " + job.use().currency();
}

Table MakeTable(const v1::ListJobsReply& reply, bool wide) {
  std::vector<Column> columns{{"JOB"},        {"NAME", false, false, true},
                              {"USER"},       {"PROJECT"},
                              {"STATE"},      {"PRI", true},
                              {"GPUS"},       {"WHERE", false, false, true},
                              {"WAIT", true}, {"RUN", true},
                              {"BUSY", true}, {"EXIT", true}};
  if (wide)
    columns.insert(columns.end(), {{"GPU-HOURS", true},
                                   {"COST", true},
                                   {"QUEUE"},
                                   {"DETAIL"},
                                   {"ATTEMPT", true},
                                   {"SUBMITTED"}});
  columns.push_back({"NOTE", false, false, true});
  Table table(columns);
  for (const v1::Job& job : reply.jobs()) {
    std::vector<std::string> cells{job.id(),
                                   job.spec().name(),
                                   job.user(),
                                   job.spec().project(),
                                   v1::JobState_Name(job.state()),
                                   std::to_string(job.spec().priority()),
                                   GpusText(job.spec()),
                                   job.places_size() == 0 ? kDash : PlacesText(job),
                                   job.has_elements() ? kDash : SpanText(job.wait_seconds()),
                                   job.has_started_at() ? SpanText(job.run_seconds()) : kDash,
                                   BusyText(job),
                                   job.has_exit_code() ? std::to_string(job.exit_code()) : kDash};
    if (wide)
      cells.insert(cells.end(),
                   {job.has_use() ? Hundredths(job.use().gpu_hours()) : kDash, CostText(job),
                    job.queue(), job.detail(), std::to_string(job.attempt()), job.submitted_at()});
    cells.push_back(Note(job));
    table.Add(std::move(cells));
  }
  return table;
}

void List(const ListFlags& flags, Cli& cli) {
  const auto reply = FetchJobs(flags, cli);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  if (cli.output == "name") {
    for (const v1::Job& job : reply->jobs()) std::printf("%s\n", job.id().c_str());
    return;
  }
  cli.PrintTable(MakeTable(*reply, cli.output == "wide"));
  const bool has_all = flags.all || !flags.name.empty();
  cli.Say(fmt::format("{} of {} shown{}{}", reply->jobs_size(), reply->total(),
                      reply->next().empty() ? "" : ", the oldest · more: --limit N",
                      has_all ? "" : " · finished ones: --all"));
}

}  // namespace

void AddJobsList(CLI::App& jobs, Cli& cli) {
  CLI::App* sub =
      jobs.add_subcommand("list", "List pending and running jobs; --all: finished jobs too");
  auto flags = std::make_shared<ListFlags>();
  sub->add_option("job", flags->name,
                  "Only this job, or the elements of this array: JOB, JOB[2-7]");
  sub->add_flag("--expand", flags->expand, "Every element of arrays, not one line for each array");
  sub->add_flag("--all", flags->all, "Finished jobs too");
  sub->add_option("--user", flags->user, "Only jobs of this user");
  sub->add_option("--state", flags->states, "Only jobs in these states")
      ->type_name("{PENDING,QUEUED,RUNNING,PREEMPTED,COMPLETED,FAILED,CANCELLED}")
      ->allow_extra_args(false);
  sub->add_option("--limit", flags->limit, "Maximum number of jobs")->check(CLI::Range(1, 10'000));
  sub->callback([flags, &cli] { List(*flags, cli); });
}

}  // namespace gp
