#include <re2/re2.h>

#include <algorithm>

#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/node_fields.h"
#include "adapters/inbound/job_file/word_texts.h"
#include "base/text.h"
#include "domain/model/jobs/dependency.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

using enum FieldKind;

constexpr auto kLeaseLosses = TextsOf(kLeaseLossWords);
constexpr auto kNetworks = TextsOf(kNetworkWords);
constexpr auto kLaunchers = TextsOf(kLauncherWords);
constexpr auto kLogActions = TextsOf(kLogActionWords);
constexpr auto kMetricActions = TextsOf(kMetricActionWords);
constexpr std::string_view kVersions[] = {"gpu-platform/v1"};
constexpr std::string_view kNamePattern = "^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$";
constexpr std::string_view kQueuePattern =
    "^[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*){0,7}$";

constexpr std::string_view kAfterPattern = "[A-Za-z0-9-]{1,32}(:(ok|ended|started|failed))?";

void SetAfter(JobDraft& draft, const FieldValue& value) {
  draft.job.policy.after.clear();
  for (const std::string& text : value.list) {
    for (const std::string& one : Split(text, ',')) {
      if (const auto dependency = ParseDependency(one)) {
        draft.job.policy.after.push_back(*dependency);
      } else {
        draft.problems.push_back({SpecProblem::Kind::kText, "after", dependency.error().message});
      }
    }
  }
}

// A flag takes several values, separated by commas.
std::vector<std::string> SplitAll(const std::vector<std::string>& texts) {
  std::vector<std::string> all;
  for (const std::string& text : texts) {
    for (const std::string& one : Split(text, ',')) all.push_back(one);
  }
  return all;
}

constexpr std::string_view kMountPattern = "/[^:]*(:/[^:]*)?(:r[ow])?";

void SetMounts(JobDraft& draft, const FieldValue& value) {
  draft.job.program.mounts.clear();
  for (const std::string& text : SplitAll(value.list)) {
    if (auto mount = MountFromText(text)) {
      draft.job.program.mounts.push_back(std::move(*mount));
    } else {
      draft.problems.push_back({SpecProblem::Kind::kText, "mounts", mount.error().message});
    }
  }
}

constexpr std::string_view kVariablePattern = "[A-Za-z_][A-Za-z0-9_]*";

void SetLogRules(JobDraft& draft, const FieldValue& value) {
  draft.job.recovery.on_log.clear();
  for (const auto& [pattern, action] : value.entries) {
    if (const RE2 checked(pattern, RE2::Quiet); !checked.ok()) {
      draft.problems.push_back({SpecProblem::Kind::kText, "on_log",
                                "\"" + Printable(pattern, 60) +
                                    "\" is not a regular expression (RE2): " + checked.error()});
    }
    draft.job.recovery.on_log.push_back({pattern, *LogActionFromText(action)});
  }
}

void SetMetricRules(JobDraft& draft, const FieldValue& value) {
  draft.job.recovery.on_metric.clear();
  for (const auto& [condition, action] : value.entries)
    draft.job.recovery.on_metric.push_back({condition, *MetricActionFromText(action)});
}

void SetNothing(JobDraft&, const FieldValue&) {}

constexpr Field kArrayFields[] = {
    {.name = "count",
     .kind = kCount,
     .summary = "How many jobs. Each job gets its index, from 0, in `GP_ARRAY_INDEX` and the "
                "number of jobs in `GP_ARRAY_COUNT`.",
     .example = "100",
     .synonyms = "size n length",
     .required = true,
     .low = 1,
     .high = kArrayMax,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.policy.array.count = static_cast<int>(v.number); }},
    {.name = "max_parallel",
     .kind = kCount,
     .summary = "The maximum number of them that run at the same time; 0: no limit.",
     .default_text = "0",
     .example = "10",
     .synonyms = "max_concurrent parallel parallelism throttle",
     .low = 0,
     .high = kArrayMax,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.policy.array.max_parallel = static_cast<int>(v.number);
         }},
};

std::span<const Field> ArrayFields() { return kArrayFields; }

constexpr std::string_view kNotifyEvents[] = {"started",     "ended", "failed",
                                              "interrupted", "idle",  "time_limit"};

constexpr Field kNotifyFields[] = {
    {.name = "to",
     .kind = kTexts,
     .summary = "Receivers of the site that jobs may name (gpu-platform config running).",
     .example = "[mail-me]",
     .synonyms = "receiver receivers who",
     .pattern = kNamePattern,
     .required = true,
     .high = static_cast<int64_t>(kNotifiedMax),
     .set = [](JobDraft& d, const FieldValue& v) { d.job.notify.to = SplitAll(v.list); }},
    {.name = "on",
     .kind = kWords,
     .summary = "The events to report. `interrupted`: the job is queued again; `idle`: its GPUs "
                "are idle; `time_limit`: its time limit is near.",
     .default_text = "[ended]",
     .example = "[failed, interrupted]",
     .synonyms = "events when types",
     .words = kNotifyEvents,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.notify.on = v.list; }},
};

std::span<const Field> NotifyFields() { return kNotifyFields; }

constexpr Field kJobFields[] = {
    {.name = "apiVersion",
     .kind = kWord,
     .summary = "The version of this format.",
     .default_text = "gpu-platform/v1",
     .example = "gpu-platform/v1",
     .words = kVersions,
     .set = SetNothing},
    {.name = "$schema",
     .kind = kText,
     .summary = "For editors; ignored.",
     .example = "/usr/share/gpu-platform/schema/job.v1.json",
     .set = SetNothing},
    {.name = "name",
     .kind = kText,
     .summary = "The job's name in all output; need not be unique.",
     .default_text = "from the file's name",
     .example = "llama-ft",
     .synonyms = "job_name job-name",
     .pattern = kNamePattern,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.name = v.text; }},
    {.name = "project",
     .kind = kText,
     .summary = "The project whose budget and quota the job counts against.",
     .default_text = "default",
     .example = "nlp",
     .synonyms = "account team",
     .pattern = kNamePattern,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.project = v.text; }},
    {.name = "queue",
     .kind = kText,
     .summary = "The job's queue, as a path of queues: research/nlp.",
     .default_text = "the queue named like the project, or default",
     .example = "training",
     .synonyms = "partition",
     .pattern = kQueuePattern,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.policy.queue = v.text; }},
    {.name = "reservation",
     .kind = kText,
     .summary = "The advance reservation on whose nodes the job runs while it lasts (gpu-platform "
                "reservations list).",
     .example = "course",
     .synonyms = "reservation_name",
     .pattern = kNamePattern,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.placement.reservation = v.text; }},
    {.name = "after",
     .kind = kTexts,
     .summary = "The jobs that this job depends on; it is queued when all conditions are met: "
                "`JOB` or `JOB:ok` (it completed), `JOB:ended`, `JOB:started`, `JOB:failed`. If "
                "one can never be met, this job is cancelled.",
     .example = "[job-3, \"job-4:ended\"]",
     .synonyms = "depends_on dependencies dependency needs",
     .pattern = kAfterPattern,
     .high = static_cast<int64_t>(kDependenciesMax),
     .set = SetAfter},
    {.name = "node_labels",
     .kind = kLabels,
     .summary =
         "The job runs only on nodes that have all of these labels (gpu-platform nodes label).",
     .example = "{zone: east}",
     .synonyms = "node_selector nodeSelector constraint constraints",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.placement.node_labels = v.entries; }},
    kNodesField,
    kNodesMinField,
    {.name = "resources",
     .kind = kObject,
     .summary = "What the job gets on each node.",
     .fields = ResourceFields},
    {.name = "any_of",
     .kind = kAlternatives,
     .summary =
         "Alternative requests in order of preference; the first that fits is used. They replace "
         "the job's own request: each says only what differs from the job's own keys.",
     .example = "[{gpus: \"H100:8\"}, {gpus: \"A100:8\", nodes: 2}]",
     .synonyms = "alternatives any_of_resources ordered",
     .high = static_cast<int64_t>(kAlternativesMax) + 1,
     .fields = AlternativeFields},
    {.name = "array",
     .kind = kArray,
     .summary = "Many jobs of this one spec, which differ by an index: a count, `COUNT%PARALLEL`, "
                "or a map.",
     .example = "100%10",
     .synonyms = "job_array task_array",
     .low = 1,
     .high = kArrayMax,
     .fields = ArrayFields,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.policy.array = {static_cast<int>(v.number), static_cast<int>(v.number_high)};
         }},
    {.name = "topology",
     .kind = kObject,
     .summary = "How close to each other the GPUs of a node are.",
     .fields = TopologyFields},
    {.name = "priority",
     .kind = kPriority,
     .summary = "low (250), medium (500), high (750), or a number; higher is earlier.",
     .default_text = "medium",
     .example = "high",
     .low = 0,
     .high = kPriorityMax,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.policy.priority = static_cast<int>(v.number); }},
    {.name = "time_limit",
     .kind = kDuration,
     .summary = "The job is stopped after running this long.",
     .default_text = "none",
     .example = "12h",
     .synonyms = "time timeout walltime duration max_duration",
     .alias = "max_duration",
     .low = Duration::Seconds(1).ns,
     .high = kTimeLimitMax.ns,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.policy.time_limit = Duration{v.number}; }},
    {.name = "retry",
     .kind = kObject,
     .summary = "When the job is restarted.",
     .synonyms = "restart retries",
     .fields = RetryFields},
    {.name = "checkpoint",
     .kind = kObject,
     .summary = "How the job keeps its work across restarts.",
     .fields = CheckpointFields},
    {.name = "hang_after",
     .kind = kDuration,
     .summary = "The job hangs if, for this time, it sends no progress report (GP_REPORT) or, "
                "where it never sends any, all its GPUs are at 0 %. It is then stopped and "
                "restarted as if it had failed, up to retry.max times.",
     .default_text = "never",
     .example = "20m",
     .synonyms = "progress_timeout stall_timeout heartbeat_timeout hang_timeout",
     .low = Duration::Seconds(1).ns,
     .high = kTimeLimitMax.ns,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.recovery.hang_after = Duration{v.number}; }},
    {.name = "on_log",
     .kind = kRules,
     .summary = "The action if a line in the output of a failed attempt matches a regular "
                "expression (RE2). `stop_retries`: the job is not restarted; `exclude_node`: it is "
                "restarted, on another node if possible.",
     .example = "{\"CUDA out of memory\": stop_retries}",
     .synonyms = "log_policies log_rules",
     .high = static_cast<int64_t>(kLogRulesMax),
     .words = kLogActions,
     .set = SetLogRules},
    {.name = "on_metric",
     .kind = kRules,
     .summary = "The action once a metric that the job reports meets a condition: `NAME is nan`, "
                "`NAME > NUMBER` or `NAME < NUMBER`. `stop`: the job fails and is not retried; "
                "`restart`: it goes on from its newest checkpoint, up to retry.max times; "
                "`complete`: it is done.",
     .example = "{\"train/loss is nan\": restart}",
     .synonyms = "metric_rules early_stopping",
     .high = static_cast<int64_t>(kMetricRulesMax),
     .words = kMetricActions,
     .set = SetMetricRules},
    {.name = "preemptible",
     .kind = kBool,
     .summary =
         "The job may be preempted and restarted later; it saves its work on the stop signal.",
     .default_text = "false",
     .example = "true",
     .synonyms = "preemptable preempt spot",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.policy.preemptible = v.number != 0; }},
    {.name = "movable",
     .kind = kBool,
     .summary = "The job may be stopped and resumed elsewhere to make its GPUs available to a "
                "pending job; it saves its work on the stop signal.",
     .default_text = "false",
     .example = "true",
     .synonyms = "migratable relocatable",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.policy.movable = v.number != 0; }},
    {.name = "wait_for_nodes",
     .kind = kBool,
     .summary = "The job is queued even if no known node could ever run it; it waits for nodes "
                "that join later.",
     .default_text = "false",
     .example = "true",
     .synonyms = "wait_for_hardware",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.policy.wait_for_nodes = v.number != 0; }},
    {.name = "on_lease_loss",
     .kind = kWord,
     .summary = "What the node does with the job when the controller is unreachable for longer "
                "than the lease. `default` stops jobs of several nodes and lets others continue.",
     .default_text = "default",
     .example = "stop",
     .words = kLeaseLosses,
     .set =
         [](JobDraft& d, const FieldValue& v) {
           d.job.recovery.on_lease_loss = kLeaseLossWords[v.number].value;
         }},
    {.name = "env",
     .kind = kVariables,
     .summary = "Environment variables, taken as written. A variable without a value must be given "
                "at submit: `--env NAME=value`.",
     .example = "{MODEL: llama, HF_TOKEN: }",
     .synonyms = "envs environment environment_variables",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.environment = v.entries; }},
    {.name = "secrets",
     .kind = kTexts,
     .summary = "Variables whose values the controller keeps (gpu-platform secrets set): they are "
                "in the job's environment, and in no file, log or list.",
     .example = "[WANDB_API_KEY]",
     .synonyms = "secret secret_env",
     .pattern = kVariablePattern,
     .high = static_cast<int64_t>(kSecretsPerJobMax),
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.secrets = SplitAll(v.list); }},
    {.name = "notify",
     .kind = kObject,
     .summary = "Who is notified of this job, in addition to the receivers of all jobs.",
     .synonyms = "mail_type notifications",
     .fields = NotifyFields},
    {.name = "labels",
     .kind = kLabels,
     .summary = "Labels for searching and accounting.",
     .example = "{experiment: e42}",
     .synonyms = "tags annotations",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.labels = v.entries; }},
    {.name = "image",
     .kind = kText,
     .summary = "The job's root directory: an image of a registry, by its name and tag or digest; "
                "`oci:` and an OCI image layout on the job's nodes, with the image's tag or "
                "digest; `docker-archive:` or `oci-archive:` and an archive; the path of a "
                "squashfs file; or `dir:` and a directory with a root file system "
                "(docs/images.md).",
     .default_text = "the node's own root",
     .example = "nvcr.io/nvidia/pytorch:25.10-py3",
     .synonyms = "container container_image docker_image rootfs",
     .pattern = "^(dir:/|oci:/|docker-archive:/|oci-archive:/|squashfs:/|docker://)?[^: ]",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.image = v.text; }},
    {.name = "image_credentials",
     .kind = kText,
     .summary = "Secret with `user:password` of the image's registry, or with Docker's "
                "config.json (gpu-platform secrets set). The job does not get it.",
     .example = "REGISTRY_LAB",
     .synonyms = "image_secret image_pull_secret image_pull_secrets registry_credentials",
     .pattern = kVariablePattern,
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.image_credentials = v.text; }},
    {.name = "mounts",
     .kind = kTexts,
     .summary = "More directories of its nodes that a job with an image sees, with its user's "
                "rights: `FROM`, or `FROM:TO` for another path in the image, and `:ro` to write "
                "nothing there.",
     .default_text = "the user's home, workdir and checkpoint.dir",
     .example = "[\"/data:ro\", \"/scratch/ana:/scratch\"]",
     .synonyms = "volumes binds container_mounts volume_mounts",
     .pattern = kMountPattern,
     .high = static_cast<int64_t>(kMountsMax),
     .set = SetMounts},
    {.name = "stage",
     .kind = kObjects,
     .summary = "Data that each node of the job has before it starts (docs/data.md).",
     .example = "[{from: \"s3://corpora/wiki\", to: /data/wiki, credentials: S3_CORPORA}]",
     .synonyms = "data datasets inputs stage_in",
     .high = static_cast<int64_t>(kStagedMax),
     .fields = StageFields,
     .set = [](JobDraft& d, const FieldValue&) { d.job.program.stage.emplace_back(); }},
    {.name = "stage_only",
     .kind = kBool,
     .summary = "The job only stages its image and data on its nodes, and is then complete. It has "
                "no `run`; no program starts.",
     .default_text = "false",
     .example = "true",
     .synonyms = "prefetch prepull pull_only",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.stage_only = v.number != 0; }},
    {.name = "artifacts",
     .kind = kObjects,
     .summary = "What each node of the job copies when an attempt has ended (docs/data.md).",
     .example = "[{from: /scratch/ana/out, to: \"s3://results/${JOB_ID}\"}]",
     .synonyms = "outputs results stage_out",
     .high = static_cast<int64_t>(kArtifactsMax),
     .fields = ArtifactFields,
     .set = [](JobDraft& d, const FieldValue&) { d.job.program.artifacts.emplace_back(); }},
    {.name = "launcher",
     .kind = kWord,
     .summary = "Starts the command once for each GPU: `torchrun`, `accelerate`, `deepspeed`, "
                "`mpi`, `horovod`; `ray`: once, with a Ray cluster of the job's nodes.",
     .default_text = "none",
     .example = "torchrun",
     .synonyms = "distributed launch",
     .words = kLaunchers,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.program.launcher = kLauncherWords[v.number].value; }},
    {.name = "network",
     .kind = kWord,
     .summary = "`none`: the job has a loopback interface of its own and reaches nothing else.",
     .default_text = "host",
     .example = "none",
     .synonyms = "net network_mode",
     .words = kNetworks,
     .set = [](JobDraft& d,
               const FieldValue& v) { d.job.program.network = kNetworkWords[v.number].value; }},
    {.name = "graphics",
     .kind = kBool,
     .summary = "The job draws on its GPUs: it gets their render nodes and, in an image, the "
                "driver's libraries for graphics.",
     .default_text = "false",
     .example = "true",
     .synonyms = "render rendering opengl vulkan display",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.graphics = v.number != 0; }},
    {.name = "workdir",
     .kind = kText,
     .summary = "The program's working directory; an absolute path on the node.",
     .default_text = "the image's, else the user's home",
     .example = "/data/llama",
     .synonyms = "working_dir chdir cwd directory",
     .pattern = "^/",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.working_directory = v.text; }},
    {.name = "run",
     .kind = kCommand,
     .summary = "What to run on each node: a script for /bin/sh, or a list of arguments that is "
                "run without a shell.",
     .example = "python train.py",
     .synonyms = "command cmd script entrypoint args",
     .required = true,
     .unless = "stage_only",
     .set = [](JobDraft& d, const FieldValue& v) { d.job.program.command = v.list; }},
    {.name = "budget", .kind = kNotYet, .summary = "Stop at a cost."},
    {.name = "idle_policy",
     .kind = kNotYet,
     .summary = "What to do about idle GPUs; the site's policy sets it for all jobs (under_use)."},
    {.name = "matrix", .kind = kNotYet, .summary = "One job for each combination."},
    {.name = "min_nodes", .kind = kNotYet, .summary = "Start with fewer nodes."},
    {.name = "on_preempt", .kind = kNotYet, .summary = "Signal and grace at preemption."},
};

}  // namespace

std::span<const Field> JobFields() { return kJobFields; }

}  // namespace gp
