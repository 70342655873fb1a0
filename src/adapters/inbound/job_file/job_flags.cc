#include "adapters/inbound/job_file/job_flags.h"

#include <string_view>

#include "adapters/inbound/job_file/decode.h"
#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/read_value.h"
#include "base/text.h"
#include "base/utf8.h"
#include "domain/model/jobs/job_name.h"

namespace gp {
namespace {

constexpr JobFlag kFlags[] = {
    {"--gpus", "resources.gpus", "GPUs per node: 2, or H100:2", "N|MODEL:N", "--gpus-per-node"},
    {"--share", "resources.gpus.share", "Part of each GPU: 0.5 or 50%", "FRACTION"},
    {"--gpu-memory", "resources.gpus.memory", "Memory of each GPU to reserve", "SIZE"},
    {"--gpu-memory-min", "resources.gpus.memory_min", "Each GPU has at least this", "SIZE"},
    {"--isolation", "resources.gpus.isolation",
     "GPU sharing: exclusive, timeslice, mps, mig or auto"},
    {"--mig", "resources.gpus.mig", "MIG instance, at least as large as this profile: 3g.40gb",
     "PROFILE"},
    {"--cpus", "resources.cpus", "Cores per node", "N"},
    {"--memory", "resources.memory", "Host memory per node", "SIZE"},
    {"--shm", "resources.shm", "Size of /dev/shm", "SIZE"},
    {"--nodes", "nodes", "Nodes of the gang: all or none", "N"},
    {"--nodes-min", "nodes_min", "Minimum number of nodes, for a job that may start on fewer", "N"},
    {"--topology", "topology.require", "Required: same_numa, nvlink, same_node or none"},
    {"--allow-cross-numa", "topology.allow_cross_numa",
     "Whether its GPUs may span NUMA nodes, with a warning if they do (the default), or must not",
     "", "!--no-cross-numa", JobFlag::Kind::kSwitch},
    {"--name", "name", "Name of the job"},
    {"--project", "project", "Project that the job counts for"},
    {"--queue", "queue", "Queue", "QUEUE"},
    {"--array", "array",
     "Array of N jobs, each with its GP_ARRAY_INDEX; at most M of them run at once", "N[%M]"},
    {"--after", "after",
     "Dependencies: queued once these jobs completed (JOB), or JOB:ended, JOB:started, JOB:failed",
     "JOB,..."},
    {"--reservation", "reservation", "Runs on the nodes of this reservation", "RESERVATION"},
    {"--priority", "priority", "low, medium, high or 0 to 1000", "{low,medium,high}"},
    {"--time-limit", "time_limit",
     "Stopped after this long; --time takes Slurm's formats too, as 1-12:00:00", "DURATION"},
    {"--retries", "retry.max", "Retries after failures of its own program", "N"},
    {"--grace", "checkpoint.grace", "Grace period between SIGTERM and SIGKILL", "DURATION"},
    {"--checkpoint-dir", "checkpoint.dir", "GP_CHECKPOINT_DIR of the job", "DIRECTORY"},
    {"--preemptible", "preemptible",
     "May be preempted by other jobs: it saves its work when it receives SIGTERM", "", "",
     JobFlag::Kind::kSwitch},
    {"--movable", "movable",
     "May be migrated to other GPUs for other jobs: it saves its work when it receives SIGTERM", "",
     "", JobFlag::Kind::kSwitch},
    {"--wait-for-nodes", "wait_for_nodes", "Queue it even if no known node could ever run it", "",
     "", JobFlag::Kind::kSwitch},
    {"--on-lease-loss", "on_lease_loss", "stop or continue when its node is disconnected"},
    {"--image", "image",
     "Root directory of the job: a registry's NAME:TAG, dir:/path, oci:/path:tag, a file's "
     "docker-archive:/path or /path.sqsh",
     "IMAGE"},
    {"--image-credentials", "image_credentials", "Secret for the image's registry (secrets set)",
     "SECRET"},
    {"--mount", "mounts", "Directories of the node to see in the image (docs/images.md)",
     "FROM[:TO][:ro],...", "", JobFlag::Kind::kNames},
    {"--launcher", "launcher", "starts the command once for each GPU",
     "{none,torchrun,accelerate,deepspeed,mpi,horovod,ray}"},
    {"--graphics", "graphics", "The job draws on its GPUs: OpenGL, Vulkan, OptiX", "", "",
     JobFlag::Kind::kSwitch},
    {"--network", "network", "none: the job reaches nothing outside of itself", "{host,none}"},
    {"--workdir", "workdir", "Working directory; default: the current one", "DIRECTORY"},
    {"--secret", "secrets", "Secrets to inject as environment variables (secrets set)", "NAME,...",
     "", JobFlag::Kind::kNames},
    {"--notify", "notify.to", "Receivers to notify of its end (docs/how-to/notifications.md)",
     "RECEIVER,...", "", JobFlag::Kind::kNames},
};

// Text on a command line has lost its quotes: a text that looks like a number is still text here.
YamlNode NodeOf(const Field& field, const std::string& text, const SourceText& source) {
  YamlNode node;
  node.kind = field.kind == FieldKind::kText ? YamlNode::Kind::kQuoted : YamlNode::Kind::kPlain;
  node.place = {&source, 1, 1, 0};
  node.text = text;
  return node;
}

Status ReadFlag(const JobFlag& flag, const std::string& text, JobDraft& draft) {
  const std::string name(flag.name);
  if (!IsUtf8(text)) return Fail(InvalidArgument(name + ": this is not UTF-8 text"));
  const Field& field = *FindField(flag.path);
  const SourceText source{name, text, true};
  Report report;
  const auto value =
      ReadValue(field, NodeOf(field, text, source), {std::string(flag.path), name, report});
  if (!value) return Fail(InvalidArgument(report.Take().front().message));
  field.set(draft, *value);
  return Ok();
}

Status ReadPairs(std::string_view flag,
                 const std::vector<std::pair<std::string, std::string>>& pairs,
                 std::map<std::string, std::string>& into) {
  for (const auto& [name, value] : pairs) {
    if (!IsUtf8(name) || !IsUtf8(value)) {
      return Fail(InvalidArgument(std::string(flag) + ": this is not UTF-8 text"));
    }
    into[name] = value;
  }
  return Ok();
}

// The flag that sets this field, for messages.
std::string FlagOf(std::string_view path) {
  for (const JobFlag& flag : kFlags) {
    if (flag.path == path) return std::string(flag.name);
  }
  if (path == "run") return "the command behind --";
  if (path.starts_with("env")) return "--env";
  if (path.starts_with("labels")) return "--label";
  if (path.starts_with("node_labels")) return "--node-label";
  return path.starts_with("resources.gpus") ? "--gpus" : std::string(path);
}

Status CheckDraft(const JobDraft& draft) {
  std::vector<SpecProblem> problems = draft.problems;
  for (SpecProblem& problem : FindProblems(draft.job)) problems.push_back(std::move(problem));
  if (problems.empty()) return Ok();
  return Fail(InvalidArgument(FlagOf(problems[0].field) + ": " + problems[0].message));
}

}  // namespace

std::span<const JobFlag> AllJobFlags() { return kFlags; }

std::string ValueTypeOf(const JobFlag& flag) {
  const Field& field = *FindField(flag.path);
  if (!flag.type.empty() || flag.kind == JobFlag::Kind::kSwitch || field.words.empty())
    return std::string(flag.type);
  const std::vector<std::string> words(field.words.begin(), field.words.end());
  return "{" + Join(words, ",") + "}";
}

std::string QuotedYaml(std::string text) {
  for (size_t at = 0; (at = text.find('\'', at)) != std::string::npos; at += 2)
    text.insert(at, 1, '\'');
  return "'" + text + "'";
}

std::vector<std::pair<std::string, std::string>> OverridesOf(const JobFlags& flags) {
  std::vector<std::pair<std::string, std::string>> overrides;
  for (const JobFlag& flag : kFlags) {
    const auto given = flags.texts.find(flag.name);
    if (given == flags.texts.end()) continue;
    const bool is_text = FindField(flag.path)->kind == FieldKind::kText;
    overrides.emplace_back(flag.path, is_text ? QuotedYaml(given->second) : given->second);
  }
  return overrides;
}

Result<JobSpec> JobFromFlags(const JobFlags& flags) {
  if (flags.command.empty()) {
    return Fail(InvalidArgument(
        "there is no command to run: write it behind --, as in --gpus 2 -- python train.py"));
  }
  JobDraft draft;
  draft.job.name = JobNameFromPath(flags.command.front());
  draft.job.program.command = flags.command;
  draft.job.program.interactive = flags.interactive;
  for (const JobFlag& flag : kFlags) {
    const auto text = flags.texts.find(flag.name);
    if (text != flags.texts.end()) GP_CHECK_OK(ReadFlag(flag, text->second, draft));
  }
  GP_CHECK_OK(ReadPairs("--env", flags.environment, draft.job.program.environment));
  GP_CHECK_OK(ReadPairs("--label", flags.labels, draft.job.labels));
  GP_CHECK_OK(ReadPairs("--node-label", flags.node_labels, draft.job.placement.node_labels));
  CompleteDraft(draft);
  GP_CHECK_OK(CheckDraft(draft));
  return std::move(draft.job);
}

}  // namespace gp
