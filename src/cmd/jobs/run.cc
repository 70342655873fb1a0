#include <unistd.h>

#include <cstdio>
#include <nlohmann/json.hpp>

#include "cmd/cli.h"
#include "cmd/jobs/detach.h"
#include "cmd/jobs/exec_session.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/jobs.h"
#include "cmd/jobs/narrate_job.h"
#include "cmd/jobs/submit.h"
#include "cmd/jobs/unread_input.h"

namespace gp {
namespace {

struct RunFlags {
  JobFlags job;
  bool detach = false;
  bool plan = false;
  bool pty = false;
};

// A job may start hours later and on several nodes: unlike srun, `run` passes no input on. True if
// there was any to report.
bool TellUnreadInput(const std::string& job, const Cli& cli) {
  if (!HasUnreadInput(STDIN_FILENO)) return false;
  cli.Say("standard input does not reach " + job +
          ": its command can read a file; gpu-platform jobs exec " + job +
          " -- COMMAND passes input on to another process in it");
  return true;
}

// The job that the flags describe, in the directory of the caller unless they name another one.
Result<JobSpec> SpecOf(RunFlags flags) {
  flags.job.interactive = flags.pty;
  const auto image = flags.job.texts.find("--image");
  const std::string here = CallerDirectory(image == flags.job.texts.end() ? "" : image->second);
  if (!here.empty()) flags.job.texts.try_emplace("--workdir", here);
  return JobFromFlags(flags.job);
}

void PrintDetached(const std::string& job, const std::string& gang, const Cli& cli) {
  if (!gang.empty()) cli.Say(job + ": " + gang);
  if (!cli.PrintDocument(nlohmann::ordered_json{{"job_ids", nlohmann::ordered_json::array({job})}}))
    std::printf("%s\n", job.c_str());
}

// What follows the submit: the id alone, or the job until its end.
void AttendJob(const std::string& job, const JobSpec& spec, const RunFlags& flags, Cli& cli) {
  const std::string gang = GangText(spec);
  const bool is_reported = !flags.pty && TellUnreadInput(job, cli);
  if (flags.detach) return PrintDetached(job, gang, cli);
  cli.Say(job + " queued" + (gang.empty() ? "" : ": " + gang));
  if (flags.pty) {
    cli.exit_code = RunInteractive(cli, job, spec.program.command);
    return;
  }
  const JobNarrator narrator(cli, job);
  cli.exit_code = FollowToEnd(cli, job);
  if (!is_reported) TellUnreadInput(job, cli);  // it came late
}

void RunJob(const RunFlags& flags, Cli& cli) {
  const auto spec = SpecOf(flags);
  if (!spec) return cli.Complain(spec.error());
  if (flags.plan) return PlanJob(*spec, cli);
  const bool follows = !flags.detach && !flags.pty;
  if (follows && spec->policy.array.count > 0) {
    return cli.Complain(InvalidArgument(
        "--array: run follows only one job: use --detach, then gpu-platform jobs wait"));
  }
  if (follows) DetachOnInterrupt();
  const auto ids = SubmitSpecs(cli, {*spec}, 1, NewRequestId());
  if (!ids) return cli.Complain(ids.error());
  if (follows) DetachFrom(ids->front(), cli);
  AttendJob(ids->front(), *spec, flags, cli);
}

}  // namespace

void AddRun(CLI::App& app, Cli& cli) {
  CLI::App* sub = app.add_subcommand(
      "run", "Run a command as a job: queue it, follow its output, exit with its exit code");
  auto flags = std::make_shared<RunFlags>();
  AddJobFlags(*sub, flags->job);
  sub->add_flag("-d,--detach", flags->detach, "Print the job's id and do not wait");
  sub->add_flag("--plan", flags->plan,
                "Dry run: show where it would start now, or why not, when, and what would help");
  sub->add_flag("--pty", flags->pty, "Interactive: the command gets this terminal");
  sub->add_option("command", flags->job.command, "-- COMMAND [ARGUMENTS]")->required();
  sub->callback([flags, &cli] { RunJob(*flags, cli); });
}

}  // namespace gp
