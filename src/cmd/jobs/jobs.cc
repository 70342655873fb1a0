#include "cmd/jobs/jobs.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "adapters/inbound/job_file/job_file.h"
#include "base/text.h"
#include "cmd/cli.h"
#include "cmd/jobs/end_in_time.h"
#include "cmd/jobs/exec_session.h"
#include "cmd/jobs/job_follow.h"
#include "cmd/jobs/narrate_job.h"
#include "cmd/jobs/submit.h"
#include "cmd/text/job_text.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

struct SubmitFlags {
  std::string file;
  std::vector<std::string> overrides;
  JobFlags job;  // override keys of the file
  std::vector<std::string> arguments;
  int count = 1;
  bool wait = false;
  bool plan = false;
  std::string request_id;
};

Result<JobFileOptions> OptionsOf(const SubmitFlags& flags) {
  JobFileOptions options;
  options.overrides = OverridesOf(flags.job);
  for (const auto& [name, value] : flags.job.labels)
    options.overrides.emplace_back("labels." + name, QuotedYaml(value));
  for (const auto& [name, value] : flags.job.node_labels)
    options.overrides.emplace_back("node_labels." + name, QuotedYaml(value));
  for (auto& pair : GP_TRY(SplitPairs("--set", flags.overrides)))
    options.overrides.push_back(std::move(pair));
  options.environment = flags.job.environment;
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
    if (spec.program.working_directory.empty())
      spec.program.working_directory = CallerDirectory(spec.program.image);
  }
  if (const Status done = SubmitDecoded(flags, decoded.jobs, cli); !done)
    cli.Complain(done.error());
}

void Describe(const std::string& id, Cli& cli) {
  if (!cli.Offers({"table", "wide"})) return;
  const auto job = FetchJob(cli, id);
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
  EndInTime end_in_time(timeout, cli);
  const auto complain = [&cli](const Error& error) {
    cli.Complain(error);
    if (error.code == ErrorCode::kUnavailable) cli.exit_code = kExitPlatform;
  };
  std::vector<std::string> jobs;
  for (const std::string& name : names) {
    end_in_time.WaitsFor(name);
    const auto found = FindJobs(cli, name);
    if (!found) return complain(found.error());
    jobs.insert(jobs.end(), found->begin(), found->end());
  }
  for (const std::string& id : jobs) {
    end_in_time.WaitsFor(id);
    const auto end = WaitForEnd(cli, id, end_in_time.Left());
    const auto printing = end_in_time.Hold();
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
  CLI::App* sub = jobs.add_subcommand(
      "submit",
      "Submit the jobs of a job file; prints their ids.  Flags of the job override its keys");
  auto flags = std::make_shared<SubmitFlags>();
  sub->add_option("file", flags->file,
                  "Job file (YAML, JSON or a script with #GPU lines); - is stdin")
      ->required();
  sub->add_option("arguments", flags->arguments,
                  "-- ARGUMENTS of the jobs' program: $1 and so on of a script");
  sub->add_option("--set", flags->overrides, "Override a key of the job file")
      ->allow_extra_args(false)
      ->type_name("PATH=VALUE");
  AddJobFlags(*sub, flags->job);
  sub->add_option("--count", flags->count, "Copies of each job")->check(CLI::Range(1, 10'000));
  sub->add_flag("--plan", flags->plan,
                "Dry run: show where each would start now, or why not, when, and what would help");
  sub->add_flag("--wait", flags->wait, "Wait for the end; exit code is the worst of the jobs'");
  sub->add_option("--request-id", flags->request_id,
                  "Idempotency key: repeating a submit with it gives the same jobs");
  sub->callback([flags, &cli] { Submit(*flags, cli); });
}

void AddPriority(CLI::App& jobs, Cli& cli) {
  CLI::App* sub = jobs.add_subcommand(
      "priority", "Change the priority of a job; only admins of its queue may raise it");
  auto request = std::make_shared<v1::SetPriorityRequest>();
  sub->add_option_function<std::string>(
         "job", [request](const std::string& id) { request->set_job_id(id); }, "Job by id or name")
      ->required();
  sub->add_option_function<std::string>(
         "priority",
         [request](const std::string& text) {
           const auto priority = PriorityFromText(text);
           if (!priority) throw CLI::ValidationError("priority", priority.error().message);
           request->set_priority(*priority);
         },
         "low, medium, high or 0 to 1000")
      ->required();
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
  sub->add_option("job", options->job, "Job by id or name")->required();
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
  sub->add_option("job", *id, "Job by id or name; of an array JOB[3]")->required();
  sub->callback([id, action, &cli] { action(*id, cli); });
}

// A subcommand for several jobs.
template <typename F>
CLI::App* AddForSeveral(CLI::App& jobs, Cli& cli, const char* name, const char* help, F action) {
  CLI::App* sub = jobs.add_subcommand(name, help);
  auto ids = std::make_shared<std::vector<std::string>>();
  sub->add_option("jobs", *ids, "Jobs by id or name; of an array all of it, or JOB[2-7]")
      ->required();
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

void AddJobReport(CLI::App& jobs, Cli& cli) {
  AddForOne(jobs, cli, "report",
            "Report GPU, CPU and memory use of a job, and what would have been enough", ReportJob);
}

void AddWait(CLI::App& jobs, Cli& cli) {
  auto timeout = std::make_shared<std::string>();
  AddForSeveral(jobs, cli, "wait", "Wait until jobs have ended; exits with their exit code",
                [timeout](const std::vector<std::string>& all, Cli& c) { Wait(all, *timeout, c); })
      ->add_option("--timeout", *timeout, "Give up on all of them after this time (exit code 7)")
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
  AddPriority(*jobs, cli);
  AddExtend(*jobs, cli);
  AddJobReport(*jobs, cli);
  AddJobMetrics(*jobs, cli);
  AddJobsChange(*jobs, cli);
  AddJobsAgain(*jobs, cli);
  AddWait(*jobs, cli);
}

}  // namespace gp
