#include "cmd/jobs/jobs.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/job_file.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/jobs/exec_session.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/narrate_job.h"
#include "cmd/jobs/submit.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

struct SubmitFlags {
  std::string file;
  std::vector<std::string> overrides;
  std::vector<std::string> environment;
  std::vector<std::string> arguments;
  std::string array;
  int count = 1;
  bool wait = false;
  bool plan = false;
  std::string request_id;
};

Result<JobFileOptions> OptionsOf(const SubmitFlags& flags) {
  JobFileOptions options;
  options.overrides = GP_TRY(SplitPairs("--set", flags.overrides));
  if (!flags.array.empty()) options.overrides.emplace_back("array", flags.array);
  options.environment = GP_TRY(SplitPairs("--env", flags.environment));
  options.arguments = flags.arguments;
  return options;
}

// As with sbatch, words after a script are the script's arguments; after another file they may be
// meant as more files.
Status CheckArguments(const SubmitFlags& flags, const std::string& text, const Cli& cli) {
  if (flags.arguments.empty() || cli.has_separator || text.starts_with("#!")) return Ok();
  return Fail(InvalidArgument("\"" + Printable(flags.arguments.front(), 60) +
                              "\": one job file at a time; put arguments of its program "
                              "after --, as in gpu-platform jobs submit " +
                              Printable(flags.file, 60) + " -- ARGUMENTS"));
}

void Print(const std::vector<std::string>& ids, const Cli& cli) {
  if (!cli.PrintDocument(nlohmann::ordered_json{{"job_ids", ids}})) {
    for (const std::string& id : ids) std::printf("%s\n", id.c_str());
  }
  std::fflush(stdout);
}

// With the worst exit code of the jobs as the command's.
Status Wait(const std::vector<std::string>& ids, Cli& cli) {
  for (const std::string& id : ids) {
    const std::vector<std::string> jobs = GP_TRY(FindJobs(cli, id));
    for (const std::string& job : jobs) {
      const JobNarrator narrator(cli, job);
      const auto end = GP_TRY(WaitForEnd(cli, job, std::nullopt));
      cli.exit_code = std::max(cli.exit_code, ExitCodeOf(*end));
    }
  }
  return Ok();
}

Status SubmitDecoded(const SubmitFlags& flags, const std::vector<JobSpec>& specs, Cli& cli) {
  const bool has_array =
      std::ranges::any_of(specs, [](const JobSpec& spec) { return spec.policy.array.count > 0; });
  if (has_array && flags.count > 1)
    return Fail(InvalidArgument("--count: an array has its own count: set it there"));
  if (flags.plan) {
    for (const JobSpec& spec : specs) PlanJob(spec, cli);
    return Ok();
  }
  const std::string request_id = flags.request_id.empty() ? NewRequestId() : flags.request_id;
  const std::vector<std::string> ids = GP_TRY(SubmitSpecs(cli, specs, flags.count, request_id));
  Print(ids, cli);
  if (flags.wait) return Wait(ids, cli);
  if (ids.size() == 1) {
    const std::string gang = GangText(specs.front());
    cli.Say("queued" + (gang.empty() ? "" : ": " + gang) + "; follow: gpu-platform jobs " +
            (has_array ? "list " : "logs -f ") + ids.front());
  }
  return Ok();
}

void Submit(const SubmitFlags& flags, Cli& cli) {
  const Result<JobFileOptions> options = OptionsOf(flags);
  if (!options) return cli.Complain(options.error());
  const auto text = ReadJobFile(flags.file);
  if (!text) return cli.Complain(text.error());
  if (const Status sound = CheckArguments(flags, *text, cli); !sound)
    return cli.Complain(sound.error());
  DecodedJobs decoded = DecodeJobFile(flags.file, *text, *options);
  if (decoded.jobs.empty()) {
    std::fputs(RenderDiagnostics(decoded.diagnostics).c_str(), stderr);
    cli.exit_code = kExitUsage;
    return;
  }
  const std::string file = JobFilePath(flags.file);
  for (JobSpec& spec : decoded.jobs) {
    spec.file = file;
    if (spec.program.working_directory.empty()) spec.program.working_directory = CallerDirectory();
  }
  if (const Status done = SubmitDecoded(flags, decoded.jobs, cli); !done)
    cli.Complain(done.error());
}

void Describe(const std::string& id, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  v1::GetJobRequest request;
  request.set_job_id(id);
  const auto client = cli.Controller();
  if (!client) return cli.Complain(client.error());
  const auto job = (*client)->Call<v1::Job>("GetJob", request);
  if (!job) return cli.Complain(job.error());
  if (cli.PrintDocument(*job)) return;
  std::fputs((DescribeJob(*job) + DescribeOutput(*job)).c_str(), stdout);
  if (job->detail() == "QUEUED") DescribeOutlook(job->id(), cli);
}

void Wait(const std::vector<std::string>& names, const std::string& timeout_text, Cli& cli) {
  std::optional<Duration> timeout;
  if (!timeout_text.empty()) {
    const auto parsed = ParseDuration(timeout_text);
    if (!parsed) return cli.Complain(parsed.error().Within("--timeout"));
    timeout = *parsed;
  }
  const auto complain = [&cli](const Error& error) {
    cli.Complain(error);
    if (error.code == ErrorCode::kUnavailable) cli.exit_code = kExitPlatform;
  };
  std::vector<std::string> jobs;
  for (const std::string& name : names) {
    const auto found = FindJobs(cli, name);
    if (!found) return complain(found.error());
    jobs.insert(jobs.end(), found->begin(), found->end());
  }
  for (const std::string& id : jobs) {
    const auto end = WaitForEnd(cli, id, timeout);
    if (!end) return complain(end.error());
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
  CLI::App* sub = jobs.add_subcommand("submit", "Submit the jobs of a job file; prints their ids");
  auto flags = std::make_shared<SubmitFlags>();
  sub->add_option("file", flags->file,
                  "Job file (YAML, JSON or a script with #GPU lines); - is stdin")
      ->required();
  sub->add_option("arguments", flags->arguments,
                  "-- ARGUMENTS of the jobs' program: $1 and so on of a script");
  sub->add_option("--set", flags->overrides, "Override a key of the job file")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
  sub->add_option("--env", flags->environment, "Environment variable of the jobs")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  sub->add_option(
         "--array", flags->array,
         "Array of N jobs of each, each with its GP_ARRAY_INDEX; at most M of them run at once")
      ->type_name("N[%M]");
  sub->add_option("--count", flags->count, "Copies of each job")->check(CLI::Range(1, 10'000));
  sub->add_flag("--plan", flags->plan,
                "Dry run: show where each would start now, or why not, when, and what would help");
  sub->add_flag("--wait", flags->wait, "Wait for the end; exit code is the worst of the jobs'");
  sub->add_option("--request-id", flags->request_id,
                  "Idempotency key: repeating a submit with it gives the same jobs");
  sub->callback([flags, &cli] { Submit(*flags, cli); });
}

void AddLogs(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "logs", "Print the output of a job: its stdout to stdout, its stderr to stderr");
  enum class Which { kBoth, kOutput, kErrors };
  auto stream = std::make_shared<Which>(Which::kBoth);
  auto options = std::make_shared<LogOptions>();
  auto tail = std::make_shared<int64_t>(0);
  sub->add_option("job", options->job, "Job id")->required();
  sub->add_flag("-f,--follow", options->follow, "Follow the output until the job has ended");
  sub->add_option("--rank", options->rank, "Rank (node) of a gang");
  sub->add_option("--attempt", options->attempt, "Attempt; default: the last");
  CLI::Option* errors = sub->add_flag_function(
      "--stderr", [stream](int64_t) { *stream = Which::kErrors; },
      "Only its standard error, to standard output");
  sub->add_flag_function(
         "--stdout", [stream](int64_t) { *stream = Which::kOutput; }, "Only its standard output")
      ->excludes(errors);
  sub->add_option("--tail-bytes", *tail, "Only the last N bytes of each stream")
      ->type_name("N")
      ->check(CLI::Range(int64_t{1}, int64_t{1} << 40));
  sub->callback([options, stream, tail, &cli] {
    if (*tail > 0) options->offset = -*tail;
    options->errors = *stream == Which::kErrors;
    const Status copied =
        *stream == Which::kBoth ? CopyStreams(cli, *options) : CopyLog(cli, *options);
    if (copied) return;
    cli.Complain(copied.error());
    if (options->follow && copied.error().code == ErrorCode::kUnavailable)
      cli.exit_code = kExitPlatform;
  });
}

void AddPriority(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "priority", "Change the priority of a job; only admins of its queue may raise it");
  auto request = std::make_shared<v1::SetPriorityRequest>();
  sub->add_option_function<std::string>(
         "job", [request](const std::string& id) { request->set_job_id(id); }, "Job id")
      ->required();
  sub->add_option_function<int>(
         "priority", [request](int priority) { request->set_priority(priority); },
         "Priority, 0 to 1000")
      ->required()
      ->check(CLI::Range(0, kPriorityMax));
  sub->callback([request, &cli] {
    const auto client = cli.Controller();
    if (!client) return cli.Complain(client.error());
    const auto job = (*client)->Call<v1::Job>("SetPriority", *request);
    if (!job) return cli.Complain(job.error());
    if (!cli.PrintDocument(*job))
      cli.Say(job->id() + " has priority " + std::to_string(job->spec().priority()));
  });
}

void AddExec(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand("exec", "Run a command inside a running job");
  auto options = std::make_shared<ExecOptions>();
  sub->add_option("job", options->job, "Job id")->required();
  sub->add_option("--rank", options->rank, "Rank (node) of a gang");
  sub->add_flag("--pty,-t", options->pty, "Interactive, with this terminal");
  sub->add_option("command", options->argv, "-- COMMAND [ARGUMENTS]")->required();
  sub->callback([options, &cli] { cli.exit_code = RunExec(cli, *options); });
}

// A subcommand for one job.
template <typename F>
void AddForOne(CLI::App& jobs, Cli& cli, const char* name, const char* help, F action) {
  CLI::App* sub = jobs.add_subcommand(name, help);
  auto id = std::make_shared<std::string>();
  sub->add_option("job", *id, "Job id; of an array JOB[3]")->required();
  sub->callback([id, action, &cli] { action(*id, cli); });
}

// A subcommand for several jobs.
template <typename F>
CLI::App* AddForSeveral(CLI::App& jobs, Cli& cli, const char* name, const char* help, F action) {
  CLI::App* sub = jobs.add_subcommand(name, help);
  auto ids = std::make_shared<std::vector<std::string>>();
  sub->add_option("jobs", *ids, "Job ids; of an array all of it, or JOB[2-7]")->required();
  sub->callback([ids, action, &cli] { action(*ids, cli); });
  return sub;
}

void AddDescribeAndExplain(CLI::App& jobs, Cli& cli) {
  AddForOne(jobs, cli, "describe", "Describe a job: placement with its reason, timeline, attempts",
            Describe);
  AddForOne(jobs, cli, "explain",
            "Explain why a job is pending, when it may start, and what would start it now",
            ExplainJob);
}

void AddHoldAndRelease(CLI::App& jobs, Cli& cli) {
  AddForSeveral(jobs, cli, "hold", "Hold pending jobs, so that they do not start", HoldJobs);
  AddForSeveral(jobs, cli, "release", "Release held jobs", ReleaseJobs);
}

void AddJobReport(CLI::App& jobs, Cli& cli) {
  AddForOne(jobs, cli, "report",
            "Report GPU, CPU and memory use of a job, and what would have been enough", ReportJob);
}

void AddCancelAndKill(CLI::App& jobs, Cli& cli) {
  AddForSeveral(jobs, cli, "cancel", "Cancel jobs: SIGTERM, their grace period, then SIGKILL",
                [](const std::vector<std::string>& all, Cli& c) { StopJobs(all, false, c); });
  AddForSeveral(jobs, cli, "kill", "Kill jobs immediately, without a grace period",
                [](const std::vector<std::string>& all, Cli& c) { StopJobs(all, true, c); });
}

void AddWait(CLI::App& jobs, Cli& cli) {
  auto timeout = std::make_shared<std::string>();
  AddForSeveral(jobs, cli, "wait", "Wait until jobs have ended; exits with their exit code",
                [timeout](const std::vector<std::string>& all, Cli& c) { Wait(all, *timeout, c); })
      ->add_option("--timeout", *timeout, "Give up after this time (exit code 7)")
      ->type_name("DURATION");
}

}  // namespace

void AddJobs(CLI::App& app, Cli& cli) {
  CLI::App* jobs = app.add_subcommand("jobs", "Submit, list, describe, follow and cancel jobs");
  jobs->require_subcommand(1);
  AddRun(*jobs, cli);
  AddSubmit(*jobs, cli);
  AddJobsImport(*jobs, cli);
  AddJobsList(*jobs, cli);
  AddLogs(*jobs, cli);
  AddExec(*jobs, cli);
  AddDescribeAndExplain(*jobs, cli);
  AddHoldAndRelease(*jobs, cli);
  AddPriority(*jobs, cli);
  AddExtend(*jobs, cli);
  AddJobReport(*jobs, cli);
  AddCancelAndKill(*jobs, cli);
  AddWait(*jobs, cli);
}

}  // namespace gp
