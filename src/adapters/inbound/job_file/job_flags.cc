#include "adapters/inbound/job_file/job_flags.h"

#include <optional>
#include <string_view>

#include "adapters/inbound/job_file/decode.h"
#include "adapters/inbound/job_file/field.h"
#include "adapters/inbound/job_file/read_value.h"
#include "domain/model/jobs/job_name.h"
#include "lib/yaml/utf8.h"

namespace gp {
namespace {

struct FlagField {
  std::string_view flag;
  std::string_view path;
  std::optional<std::string> JobFlags::* text;
};

constexpr FlagField kFlags[] = {
    {"--gpus", "resources.gpus", &JobFlags::gpus},
    {"--share", "resources.gpus.share", &JobFlags::share},
    {"--gpu-memory", "resources.gpus.memory", &JobFlags::gpu_memory},
    {"--gpu-memory-min", "resources.gpus.memory_min", &JobFlags::gpu_memory_min},
    {"--isolation", "resources.gpus.isolation", &JobFlags::isolation},
    {"--mig", "resources.gpus.mig", &JobFlags::mig},
    {"--cpus", "resources.cpus", &JobFlags::cpus},
    {"--memory", "resources.memory", &JobFlags::memory},
    {"--shm", "resources.shm", &JobFlags::shm},
    {"--nodes", "nodes", &JobFlags::nodes},
    {"--nodes-min", "nodes_min", &JobFlags::nodes_min},
    {"--topology", "topology.require", &JobFlags::topology},
    {"--allow-cross-numa", "topology.allow_cross_numa", &JobFlags::allow_cross_numa},
    {"--name", "name", &JobFlags::name},
    {"--project", "project", &JobFlags::project},
    {"--queue", "queue", &JobFlags::queue},
    {"--reservation", "reservation", &JobFlags::reservation},
    {"--array", "array", &JobFlags::array},
    {"--after", "after", &JobFlags::after},
    {"--priority", "priority", &JobFlags::priority},
    {"--time-limit", "time_limit", &JobFlags::time_limit},
    {"--retries", "retry.max", &JobFlags::retries},
    {"--grace", "checkpoint.grace", &JobFlags::grace},
    {"--checkpoint-dir", "checkpoint.dir", &JobFlags::checkpoint_dir},
    {"--on-lease-loss", "on_lease_loss", &JobFlags::on_lease_loss},
    {"--workdir", "workdir", &JobFlags::workdir},
    {"--secret", "secrets", &JobFlags::secrets},
    {"--notify", "notify.to", &JobFlags::notify},
};

// Text on a command line has lost its quotes: a text that looks like a number is still text here.
YamlNode NodeOf(const Field& field, const std::string& text, const SourceText& source) {
  YamlNode node;
  node.kind = field.kind == FieldKind::kText ? YamlNode::Kind::kQuoted : YamlNode::Kind::kPlain;
  node.place = {&source, 1, 1, 0};
  node.text = text;
  return node;
}

Status ReadFlag(const FlagField& flag, const std::string& text, JobDraft& draft) {
  const std::string name(flag.flag);
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
  for (const FlagField& flag : kFlags) {
    if (flag.path == path) return std::string(flag.flag);
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

Result<JobSpec> JobFromFlags(const JobFlags& flags) {
  if (flags.command.empty()) {
    return Fail(InvalidArgument(
        "there is no command to run: write it behind --, as in --gpus 2 -- python train.py"));
  }
  JobDraft draft;
  draft.job.name = JobNameFromPath(flags.command.front());
  draft.job.program.command = flags.command;
  draft.job.program.interactive = flags.interactive;
  draft.job.policy.preemptible = flags.preemptible;
  draft.job.policy.movable = flags.movable;
  draft.job.policy.wait_for_nodes = flags.wait_for_nodes;
  for (const FlagField& flag : kFlags) {
    const std::optional<std::string>& text = flags.*flag.text;
    if (text) GP_CHECK_OK(ReadFlag(flag, *text, draft));
  }
  GP_CHECK_OK(ReadPairs("--env", flags.environment, draft.job.program.environment));
  GP_CHECK_OK(ReadPairs("--label", flags.labels, draft.job.labels));
  GP_CHECK_OK(ReadPairs("--node-label", flags.node_labels, draft.job.placement.node_labels));
  CompleteDraft(draft);
  GP_CHECK_OK(CheckDraft(draft));
  return std::move(draft.job);
}

}  // namespace gp
