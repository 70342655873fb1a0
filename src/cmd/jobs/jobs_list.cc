#include "cmd/jobs/jobs.h"

#include <fmt/format.h>

#include <cstdio>

#include "cmd/jobs/job_selection.h"
#include "cmd/text/job_table.h"

namespace gp {
namespace {

struct ListFlags {
  std::string name;
  bool all = false;
  bool expand = false;
  JobSelection selection;
  int limit = 100;
};

// An array is one line, unless its elements are asked for; documents and names list every job.
bool IsGrouped(const ListFlags& flags, const Cli& cli) {
  return flags.name.empty() && !flags.expand && !cli.WantsDocument() && cli.output != "name";
}

Result<v1::ListJobsReply> FetchJobs(const ListFlags& flags, Cli& cli) {
  v1::ListJobsRequest request = GP_TRY(RequestOf(flags.selection, cli));
  request.set_name(flags.name);
  request.set_all(request.all() || flags.all);
  request.set_arrays_as_one(IsGrouped(flags, cli));
  request.set_limit(flags.limit);
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::ListJobsReply>("ListJobs", request);
}

// What is shown of how much, and how to see the rest.
std::string ShownText(const ListFlags& flags, const v1::ListJobsReply& reply) {
  const bool has_over = flags.all || !flags.name.empty() || !flags.selection.since.empty() ||
                        !flags.selection.states.empty();
  const std::string over = has_over ? "" : " · finished ones: --all";
  if (reply.total() == 0) return "no jobs" + over;
  return fmt::format("{} of {} shown{}{}", reply.jobs_size(), reply.total(),
                     reply.next().empty() ? "" : ", the oldest · more: --limit N", over);
}

void List(const ListFlags& flags, Cli& cli) {
  const auto reply = FetchJobs(flags, cli);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  if (cli.output == "name") {
    for (const v1::Job& job : reply->jobs()) std::printf("%s\n", job.id().c_str());
  } else if (!cli.PrintTable(JobTable(*reply))) {
    return;
  }
  cli.Say(ShownText(flags, *reply));
}

}  // namespace

void AddJobsList(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = cli.AddListFlags(
      jobs.add_subcommand("list", "List pending and running jobs; --all: finished jobs too"));
  auto flags = std::make_shared<ListFlags>();
  sub->add_option("job", flags->name,
                  "Only this job, or the elements of this array: JOB, JOB[2-7]");
  sub->add_flag("--expand", flags->expand, "Every element of arrays, not one line for each array");
  sub->add_flag("--all", flags->all, "Finished jobs too");
  AddSelectionFlags(*sub, flags->selection);
  AddSinceFlag(*sub, flags->selection);
  sub->add_option("--limit", flags->limit, "Maximum number of jobs")->check(CLI::Range(1, 10'000));
  sub->callback([flags, &cli] { List(*flags, cli); });
}

}  // namespace gp
