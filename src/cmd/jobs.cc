#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "adapters/inbound/job_file/job_file.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/exec_session.h"
#include "cmd/job_follow.h"
#include "cmd/job_text.h"
#include "cmd/jobs_explain.h"
#include "cmd/submit.h"
#include "infrastructure/table.h"

namespace gp {
namespace {

struct SubmitFlags {
  std::string file;
  std::vector<std::string> overrides;
  std::vector<std::string> environment;
  int count = 1;
  bool wait = false;
  bool plan = false;
  std::string request_id;
};

Result<std::string> ReadJobFile(const std::string& path) {
  constexpr size_t kBytesMax = 1 << 20;
  std::stringstream text;
  if (path == "-") {
    text << std::cin.rdbuf();
  } else {
    std::ifstream file(path);
    if (!file) return Fail(InvalidArgument(path + ": cannot be read"));
    text << file.rdbuf();
  }
  std::string all = text.str();
  if (all.size() > kBytesMax) return Fail(InvalidArgument(path + ": a job file has at most 1 MiB"));
  return all;
}

void Submit(const SubmitFlags& flags, Cli& cli) {
  JobFileOptions options;
  auto overrides = SplitPairs("--set", flags.overrides);
  if (!overrides) return cli.Complain(overrides.error());
  auto environment = SplitPairs("--env", flags.environment);
  if (!environment) return cli.Complain(environment.error());
  options.overrides = *std::move(overrides);
  options.environment = *std::move(environment);
  const auto text = ReadJobFile(flags.file);
  if (!text) return cli.Complain(text.error());
  DecodedJobs decoded = DecodeJobFile(flags.file, *text, options);
  if (decoded.jobs.empty()) {
    std::fputs(RenderDiagnostics(decoded.diagnostics).c_str(), stderr);
    cli.exit_code = kExitUsage;
    return;
  }
  for (JobSpec& spec : decoded.jobs) {
    if (spec.working_directory.empty()) spec.working_directory = CallerDirectory();
  }
  if (flags.plan) {
    for (const JobSpec& spec : decoded.jobs) PlanJob(spec, cli);
    return;
  }
  const std::string request_id = flags.request_id.empty() ? NewRequestId() : flags.request_id;
  const auto ids = SubmitSpecs(cli, decoded.jobs, flags.count, request_id);
  if (!ids) return cli.Complain(ids.error());
  if (!cli.PrintDocument(nlohmann::ordered_json{{"job_ids", *ids}})) {
    for (const std::string& id : *ids) std::printf("%s\n", id.c_str());
  }
  std::fflush(stdout);
  if (ids->size() == 1 && !flags.wait) cli.Say("queued; follow: gpu-platform jobs logs -f " + ids->front());
  if (!flags.wait) return;
  for (const std::string& id : *ids) {
    const auto end = WaitForEnd(cli, id, std::nullopt);
    if (!end) return cli.Complain(end.error());
    cli.exit_code = std::max(cli.exit_code, ExitCodeOf(**end));
  }
}

struct ListFlags {
  bool all = false;
  std::string user;
  std::vector<std::string> states;
  int limit = 100;
};

Result<v1::ListJobsReply> FetchJobs(const ListFlags& flags, Cli& cli) {
  v1::ListJobsRequest request;
  request.set_all(flags.all);
  request.set_user(flags.user);
  request.set_limit(flags.limit);
  for (const std::string& name : flags.states) {
    v1::JobState state{};
    if (!v1::JobState_Parse(name, &state)) return Fail(InvalidArgument("--state: no state " + name));
    request.add_states(state);
  }
  ControlClient* client = GP_TRY(cli.Controller());
  return client->Call<v1::ListJobsReply>(&v1::Control::Stub::ListJobs, request);
}

std::string Note(const v1::Job& job) {
  if (job.state() == v1::COMPLETED) return "";
  return job.reason();
}

void List(const ListFlags& flags, Cli& cli) {
  const auto reply = FetchJobs(flags, cli);
  if (!reply) return cli.Complain(reply.error());
  if (cli.PrintDocument(*reply)) return;
  if (cli.output == "name") {
    for (const v1::Job& job : reply->jobs()) std::printf("%s\n", job.id().c_str());
    return;
  }
  const bool wide = cli.output == "wide";
  std::vector<Column> columns{{"JOB"}, {"NAME"}, {"USER"}, {"PROJECT"}, {"STATE"}, {"PRI", true}, {"GPUS"},
                              {"WHERE"}, {"WAIT", true}, {"RUN", true}, {"EXIT", true}};
  if (wide) columns.insert(columns.end(), {{"QUEUE"}, {"DETAIL"}, {"ATTEMPT", true}, {"SUBMITTED"}});
  columns.push_back({"NOTE", false, false, true});
  Table table(columns);
  for (const v1::Job& job : reply->jobs()) {
    std::vector<std::string> cells{
        job.id(), job.spec().name(), job.user(), job.spec().project(), v1::JobState_Name(job.state()),
        std::to_string(job.spec().priority()), GpusText(job.spec()),
        job.places_size() == 0 ? kUnknown : PlacesText(job), SpanText(job.wait_seconds()),
        job.has_started_at() ? SpanText(job.run_seconds()) : kUnknown,
        job.has_exit_code() ? std::to_string(job.exit_code()) : kUnknown};
    if (wide) cells.insert(cells.end(), {job.queue(), job.detail(), std::to_string(job.attempt()), job.submitted_at()});
    cells.push_back(Note(job));
    table.Add(std::move(cells));
  }
  cli.PrintTable(table);
  cli.Say(fmt::format("{} of {} shown{}", reply->jobs_size(), reply->total(),
                          flags.all ? "" : " · finished ones: --all"));
}

void Describe(const std::string& id, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  v1::GetJobRequest request;
  request.set_job_id(id);
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto job = (*client)->Call<v1::Job>(&v1::Control::Stub::GetJob, request);
  if (!job) return cli.Complain(job.error());
  if (cli.PrintDocument(*job)) return;
  std::fputs(DescribeJob(*job).c_str(), stdout);
}

void Stop(const std::vector<std::string>& ids, bool force, Cli& cli) {
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  int failed = 0;
  v1::ListJobsReply stopped;
  for (const std::string& id : ids) {
    v1::StopJobRequest request;
    request.set_job_id(id);
    request.set_force(force);
    const auto job = (*client)->Call<v1::Job>(&v1::Control::Stub::StopJob, request);
    if (!job) {
      cli.Complain(job.error());
      ++failed;
      continue;
    }
    *stopped.add_jobs() = *job;
    if (IsOver(*job)) {
      cli.Say(id + " " + job->detail() + " (" + job->reason() + ")");
    } else {
      cli.Say(id + (force ? " is being killed" : " is being stopped: SIGTERM, then its grace") +
                  " (gpu-platform jobs wait " + id + ")");
    }
  }
  stopped.set_total(stopped.jobs_size());
  cli.PrintDocument(stopped);
  constexpr int kExitPartly = 10;
  if (failed > 0 && failed < static_cast<int>(ids.size())) cli.exit_code = kExitPartly;
}

template <typename Method>
void Change(Method method, const std::string& id, Cli& cli) {
  v1::GetJobRequest request;
  request.set_job_id(id);
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto job = (*client)->template Call<v1::Job>(method, request);
  if (!job) return cli.Complain(job.error());
  cli.Say(id + " " + job->detail());
  cli.PrintDocument(*job);
}

void Wait(const std::vector<std::string>& ids, const std::string& timeout_text, Cli& cli) {
  std::optional<Duration> timeout;
  if (!timeout_text.empty()) {
    const auto parsed = ParseDuration(timeout_text);
    if (!parsed) return cli.Complain(parsed.error().Within("--timeout"));
    timeout = *parsed;
  }
  for (const std::string& id : ids) {
    const auto end = WaitForEnd(cli, id, timeout);
    if (!end) {
      cli.Complain(end.error());
      if (end.error().code == ErrorCode::kUnavailable) cli.exit_code = kExitPlatform;
      return;
    }
    if (!*end) {
      cli.Say(id + " has not ended yet");
      cli.exit_code = kExitTimeout;
      return;
    }
    cli.exit_code = std::max(cli.exit_code, ExitCodeOf(**end));
    if (cli.PrintDocument(**end)) continue;
    cli.Say(id + " " + (*end)->detail() + ", exit code " + std::to_string((*end)->exit_code()));
  }
}

void AddSubmit(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("submit", "Queue the jobs of a file; prints their ids");
  auto flags = std::make_shared<SubmitFlags>();
  sub->add_option("file", flags->file, "Job file (YAML, JSON or a script with #GPU lines); - is stdin")->required();
  sub->add_option("--set", flags->overrides, "Another value for a key")->allow_extra_args(false)->type_name("PATH=VALUE");
  sub->add_option("--env", flags->environment, "Variable of the jobs")->allow_extra_args(false)->type_name("NAME=VALUE");
  sub->add_option("--count", flags->count, "Copies of each job")->check(CLI::Range(1, 10'000));
  sub->add_flag("--plan", flags->plan, "Only say where each would start now, or why not, when, and what would help");
  sub->add_flag("--wait", flags->wait, "Wait for the end; exit code is the worst of the jobs'");
  sub->add_option("--request-id", flags->request_id, "Repeating a submit with this id gives the same jobs");
  sub->callback([flags, &cli] { Submit(*flags, cli); });
}

void AddList(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("list", "Jobs that wait or run; --all: finished ones too");
  auto flags = std::make_shared<ListFlags>();
  sub->add_flag("--all", flags->all, "Finished jobs too");
  sub->add_option("--user", flags->user, "Only this user's");
  sub->add_option("--state", flags->states, "Only these: PENDING QUEUED RUNNING PREEMPTED COMPLETED FAILED CANCELLED")->allow_extra_args(false);
  sub->add_option("--limit", flags->limit, "At most so many")->check(CLI::Range(1, 10'000));
  sub->callback([flags, &cli] { List(*flags, cli); });
}

void AddLogs(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("logs", "Output of a job");
  auto options = std::make_shared<LogOptions>();
  auto tail = std::make_shared<int64_t>(0);
  sub->add_option("job", options->job, "Job id")->required();
  sub->add_flag("-f,--follow", options->follow, "Until the job has ended");
  sub->add_option("--rank", options->rank, "Of a gang: which node's");
  sub->add_option("--attempt", options->attempt, "Which attempt's; default: the last");
  sub->add_flag("--stderr", options->errors, "Standard error instead of standard output");
  sub->add_option("--tail-bytes", *tail, "Only so many bytes before the end")->type_name("N");
  sub->callback([options, tail, &cli] {
    if (*tail > 0) options->offset = -*tail;
    const Status copied = CopyLog(cli, *options);
    if (copied) return;
    cli.Complain(copied.error());
    if (copied.error().code == ErrorCode::kUnavailable) cli.exit_code = kExitPlatform;
  });
}

void AddPriority(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("priority", "Change where a job stands; only administrators raise it");
  auto request = std::make_shared<v1::SetPriorityRequest>();
  sub->add_option_function<std::string>("job", [request](const std::string& id) { request->set_job_id(id); }, "Job id")->required();
  sub->add_option_function<int>("priority", [request](int priority) { request->set_priority(priority); }, "0 to 1000")
      ->required()->check(CLI::Range(0, kPriorityMax));
  sub->callback([request, &cli] {
    const auto client = cli.Controller();
    if (!client) return cli.Complain(client.error());
    const auto job = (*client)->Call<v1::Job>(&v1::Control::Stub::SetPriority, *request);
    if (!job) return cli.Complain(job.error());
    if (!cli.PrintDocument(*job)) cli.Say(job->id() + " has priority " + std::to_string(job->spec().priority()));
  });
}

void AddExec(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("exec", "Run a command inside a running job");
  auto options = std::make_shared<ExecOptions>();
  sub->add_option("job", options->job, "Job id")->required();
  sub->add_option("--rank", options->rank, "Of a gang: on which node");
  sub->add_flag("--pty,-t", options->pty, "With this terminal");
  sub->add_option("command", options->argv, "-- COMMAND [ARGUMENTS]")->required();
  sub->callback([options, &cli] { cli.exit_code = RunExec(cli, *options); });
}

}  // namespace

void AddJobs(CLI::App& app, Cli& cli) {
  CLI::App* jobs = app.add_subcommand("jobs", "Queue, list, describe, follow and stop jobs");
  jobs->require_subcommand(1);
  AddRun(*jobs, cli);
  AddSubmit(*jobs, cli);
  AddList(*jobs, cli);
  AddLogs(*jobs, cli);
  AddExec(*jobs, cli);
  auto id = std::make_shared<std::string>();
  auto ids = std::make_shared<std::vector<std::string>>();
  auto timeout = std::make_shared<std::string>();
  const auto one = [&](const char* name, const char* help, auto action) {
    CLI::App* sub = jobs->add_subcommand(name, help);
    sub->add_option("job", *id, "Job id")->required();
    sub->callback([id, action, &cli] { action(*id, cli); });
  };
  const auto several = [&](const char* name, const char* help, auto action) {
    CLI::App* sub = jobs->add_subcommand(name, help);
    sub->add_option("jobs", *ids, "Job ids")->required();
    sub->callback([ids, action, &cli] { action(*ids, cli); });
    return sub;
  };
  one("describe", "All about one job: placement with its reason, timeline, attempts", Describe);
  one("explain", "Why a job waits, when it may start, and what would start it now", ExplainJob);
  one("hold", "Keep a waiting job back", [](const std::string& job, Cli& c) { Change(&v1::Control::Stub::HoldJob, job, c); });
  one("release", "Let a held job go on", [](const std::string& job, Cli& c) { Change(&v1::Control::Stub::ReleaseJob, job, c); });
  AddPriority(*jobs, cli);
  several("cancel", "Stop jobs: SIGTERM, their grace, then the kill",
          [](const std::vector<std::string>& all, Cli& c) { Stop(all, false, c); });
  several("kill", "Stop jobs at once", [](const std::vector<std::string>& all, Cli& c) { Stop(all, true, c); });
  several("wait", "Wait for the end of jobs; ends with their exit code",
          [timeout](const std::vector<std::string>& all, Cli& c) { Wait(all, *timeout, c); })
      ->add_option("--timeout", *timeout, "Give up after so long (exit code 7)")
      ->type_name("DURATION");
}

}  // namespace gp
