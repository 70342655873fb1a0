#include "domain/model/jobs/job_spec.h"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <string_view>

#include "base/paths.h"
#include "base/text.h"
#include "domain/model/jobs/image_reference.h"
#include "domain/model/jobs/job_text.h"
#include "domain/model/jobs/text_rules.h"

namespace gp {
namespace {

using Kind = SpecProblem::Kind;

class Findings {
 public:
  void Add(Kind kind, std::string field, std::string message) {
    problems_.push_back({kind, std::move(field), std::move(message)});
  }
  void Range(std::string_view field, int64_t value, int64_t low, int64_t high) {
    if (value >= low && value <= high) return;
    Add(Kind::kRange, std::string(field),
        "must be from " + std::to_string(low) + " to " + std::to_string(high) + ", not " +
            std::to_string(value));
  }
  void Span(std::string_view field, Duration value, Duration low, Duration high) {
    if (value >= low && value <= high) return;
    // A text of two units may hide what is too much
    const bool looks_right = ToText(value) == ToText(low) || ToText(value) == ToText(high);
    Add(Kind::kRange, std::string(field),
        "must be from " + ToText(low) + " to " + ToText(high) + ", not " +
            (looks_right ? std::to_string(value.ToMilliseconds()) + "ms" : ToText(value)));
  }
  void Text(std::string field, std::optional<std::string> fault) {
    if (fault) Add(Kind::kText, std::move(field), std::move(*fault));
  }
  void Size(std::string_view field, size_t size, size_t size_max, std::string_view unit) {
    if (size <= size_max) return;
    Add(Kind::kRange, std::string(field),
        "has " + std::to_string(size) + " " + std::string(unit) + "; at most " +
            std::to_string(size_max) + " are allowed");
  }
  std::vector<SpecProblem> Take() { return std::move(problems_); }

 private:
  std::vector<SpecProblem> problems_;
};

void AddName(const std::string& name, std::vector<std::string>& names) {
  if (!name.empty() && std::ranges::find(names, name) == names.end()) names.push_back(name);
}

void CheckNames(const JobSpec& spec, Findings& findings) {
  // empty: the job is shown by its id
  if (!spec.name.empty()) findings.Text("name", NameFault(spec.name));
  findings.Text("project", NameFault(spec.project));
  if (!spec.policy.queue.empty()) findings.Text("queue", QueueFault(spec.policy.queue));
  if (!spec.placement.reservation.empty())
    findings.Text("reservation", NameFault(spec.placement.reservation));
  findings.Range("after", static_cast<int64_t>(spec.policy.after.size()), 0,
                 static_cast<int64_t>(kDependenciesMax));
}

void CheckNoGpus(const GpuRequest& gpus, Findings& findings) {
  const auto needless = [&](bool given, std::string_view field) {
    if (given) {
      findings.Add(Kind::kContradiction, "resources.gpus." + std::string(field),
                   "the job asks for no GPU (count 0), so this says nothing: remove it");
    }
  };
  needless(!gpus.models.empty(), "model");
  needless(gpus.share_thousandths != kShareMax, "share");
  needless(gpus.memory_mib != 0, "memory");
  needless(gpus.memory_mib_min != 0, "memory_min");
  needless(gpus.isolation != Isolation::kExclusive, "isolation");
}

void CheckIsolation(const GpuRequest& gpus, Findings& findings) {
  const bool is_part = gpus.share_thousandths != kShareMax || gpus.memory_mib != 0;
  if (gpus.isolation == Isolation::kExclusive && is_part) {
    const bool by_share = gpus.share_thousandths != kShareMax;
    findings.Add(Kind::kContradiction, by_share ? "resources.gpus.share" : "resources.gpus.memory",
                 "isolation is exclusive, which gives whole GPUs only: remove this, or choose "
                 "timeslice, mps or mig");
  }
  if (gpus.isolation != Isolation::kExclusive && !is_part) {
    findings.Add(Kind::kContradiction, "resources.gpus.isolation",
                 std::string(ToText(gpus.isolation)) +
                     " divides a GPU, but the job asks for whole ones: give a share below 1 or a "
                     "memory, or remove this");
  }
  const bool is_of_one = gpus.isolation == Isolation::kMps || gpus.isolation == Isolation::kMig;
  if (is_of_one && gpus.count > 1) {
    findings.Add(Kind::kContradiction, "resources.gpus.isolation",
                 std::string(ToText(gpus.isolation)) +
                     " gives a part of one GPU of a node, and the job asks for " +
                     std::to_string(gpus.count) +
                     ": write count 1 (and more nodes), or choose timeslice");
  }
}

// Validates `gpus` of a job, from whichever road it comes; the job file has the same bounds for its
// numbers (job_file/resource_fields.cc).
void CheckGpus(const GpuRequest& gpus, Findings& findings) {
  findings.Range("resources.gpus.count", gpus.count, 0, kGpusPerNodeMax);
  findings.Size("resources.gpus.model", gpus.models.size(), kModelsMax, "models");
  for (const std::string& model : gpus.models) {
    findings.Text("resources.gpus.model", GpuModelFault(model));
  }
  findings.Range("resources.gpus.share", gpus.share_thousandths, 1, kShareMax);
  findings.Range("resources.gpus.memory", gpus.memory_mib, 0, kGpuMemoryMibMax);
  findings.Range("resources.gpus.memory_min", gpus.memory_mib_min, 0, kGpuMemoryMibMax);
  if (gpus.count == 0) {
    CheckNoGpus(gpus, findings);
  } else {
    CheckIsolation(gpus, findings);
  }
}

void CheckHostResources(const JobSpec& spec, Findings& findings) {
  findings.Range("resources.cpus", spec.resources.cpus, 0, kCpusPerNodeMax);
  findings.Range("resources.memory", spec.resources.memory_bytes, 0, kMemoryBytesMax);
  findings.Range("resources.shm", spec.resources.shm_bytes, 0, kMemoryBytesMax);
  if (spec.resources.memory_bytes > 0 && spec.resources.shm_bytes > spec.resources.memory_bytes) {
    findings.Add(Kind::kContradiction, "resources.shm",
                 "is more than resources.memory, which it counts against: ask for less, or for "
                 "more memory");
  }
}

void CheckTimes(const JobSpec& spec, Findings& findings) {
  if (spec.policy.time_limit != Duration{}) {
    findings.Span("time_limit", spec.policy.time_limit, Duration::Seconds(1), kTimeLimitMax);
  }
  findings.Span("checkpoint.grace", spec.policy.grace, Duration{}, kGraceMax);
  if (spec.recovery.hang_after != Duration{})
    findings.Span("hang_after", spec.recovery.hang_after, Duration::Seconds(1), kTimeLimitMax);
  const RetryPolicy& retry = spec.recovery.retry;
  findings.Range("retry.max", retry.retries_max, 0, kRetriesMax);
  findings.Span("retry.backoff", retry.backoff_min, Duration{}, kGraceMax);
  findings.Span("retry.backoff", retry.backoff_max, Duration{}, kGraceMax);
  if (retry.backoff_min > retry.backoff_max) {
    findings.Add(Kind::kContradiction, "retry.backoff",
                 "begins at " + ToText(retry.backoff_min) + " and ends at " +
                     ToText(retry.backoff_max) + ": write the shorter one first");
  }
}

void CheckCopies(const CheckpointRequest& request, Findings& findings) {
  if (!request.credentials.empty()) {
    findings.Text("checkpoint.credentials", VariableNameFault(request.credentials));
    if (request.copy_to.empty())
      findings.Add(Kind::kContradiction, "checkpoint.credentials", "are for checkpoint.copy_to");
  }
  if (request.copy_to.empty()) return;
  findings.Text("checkpoint.copy_to", CopyTargetFault(request.copy_to));
  if (request.directory.empty())
    findings.Add(Kind::kContradiction, "checkpoint.copy_to",
                 "copies what is in checkpoint.dir: name that directory");
}

void CheckCheckpoint(const CheckpointRequest& request, Findings& findings) {
  if (!request.directory.empty()) findings.Text("checkpoint.dir", PathFault(request.directory));
  findings.Range("checkpoint.keep", request.keep, 0, kCheckpointsKeptMax);
  if (request.keep > 0 && request.directory.empty()) {
    findings.Add(Kind::kContradiction, "checkpoint.keep",
                 "nothing is removed outside of checkpoint.dir: name that directory");
  }
  if (request.best != BestScore::kNone && request.keep == 0) {
    findings.Add(Kind::kContradiction, "checkpoint.best",
                 "all are kept: say how many of the newest, as in `keep: 3`, or remove this");
  }
  findings.Range("checkpoint.signal", request.signal, 0, kSignalMax);
  if (request.signal == kSignalKill || request.signal == kSignalStop) {
    findings.Add(Kind::kRange, "checkpoint.signal",
                 "no program can act on SIGKILL or SIGSTOP: SIGUSR1 is the usual one");
  }
  CheckCopies(request, findings);
  if (request.every == Duration{}) return;
  findings.Span("checkpoint.every", request.every, Duration::Seconds(1), kTimeLimitMax);
  if (request.signal == 0) {
    findings.Add(
        Kind::kContradiction, "checkpoint.every",
        "nothing asks for a checkpoint: name the signal that does, as in `signal: SIGUSR1`");
  }
}

void CheckLogRules(const std::vector<LogRule>& rules, Findings& findings) {
  findings.Size("on_log", rules.size(), kLogRulesMax, "rules");
  for (const LogRule& rule : rules) {
    if (rule.pattern.empty())
      findings.Add(
          Kind::kText, "on_log",
          "a rule without a pattern: write what to look for, as in `pattern: \"out of memory\"`");
    findings.Size("on_log", rule.pattern.size(), kLogPatternMax, "bytes in one pattern");
  }
}

void CheckMetricRules(const std::vector<MetricRule>& rules, Findings& findings) {
  findings.Size("on_metric", rules.size(), kMetricRulesMax, "rules");
  for (const MetricRule& rule : rules) {
    if (const auto condition = ParseMetricCondition(rule.condition); !condition)
      findings.Add(Kind::kText, "on_metric", condition.error().message);
  }
}

void CheckNotify(const NotifyRequest& request, Findings& findings) {
  findings.Size("notify.to", request.to.size(), kNotifiedMax, "receivers");
  findings.Size("notify.on", request.on.size(), kNotifiedMax, "events");
  for (const std::string& name : request.to) findings.Text("notify.to", NameFault(name));
  for (const std::string& word : request.on) {
    if (std::ranges::find(kNotifyWords, word) == std::end(kNotifyWords)) {
      findings.Add(Kind::kText, "notify.on",
                   "\"" + Printable(word, 60) +
                       "\" is none of started, ended, failed, interrupted, idle, time_limit");
    }
  }
  if (request.to.empty() && !request.on.empty())
    findings.Add(Kind::kContradiction, "notify.to",
                 "names nobody: name a receiver of the site (gpu-platform config running)");
}

void CheckSecrets(const JobSpec& spec, Findings& findings) {
  findings.Size("secrets", spec.program.secrets.size(), kSecretsPerJobMax, "secrets");
  for (const std::string& name : spec.program.secrets) {
    findings.Text("secrets", VariableNameFault(name));
    if (spec.program.environment.contains(name))
      findings.Add(Kind::kContradiction, "secrets", name + " is in env too: remove it there");
  }
}

void CheckImage(const JobSpec& spec, Findings& findings) {
  if (!spec.program.image.empty()) {
    const Result<ImageReference> image = ParseImageReference(spec.program.image);
    if (!image) findings.Text("image", image.error().message);
  }
  const std::string& credentials = spec.program.image_credentials;
  if (credentials.empty()) return;
  findings.Text("image_credentials", VariableNameFault(credentials));
  if (!IsPulled(spec.program.image))
    findings.Add(Kind::kContradiction, "image_credentials", "are for an image of a registry");
}

void CheckEnvironment(const JobSpec& spec, Findings& findings) {
  findings.Size("env", spec.program.environment.size(), kMapEntriesMax, "variables");
  size_t bytes = 0;
  for (const auto& [name, value] : spec.program.environment) {
    bytes += name.size() + value.size() + 2;
    std::optional<std::string> fault = VariableNameFault(name);
    if (!fault) fault = ArgumentFault(name + "=" + value);
    findings.Text("env." + name, std::move(fault));
  }
  findings.Size("env", bytes, kEnvironmentBytesMax, "bytes");
}

void CheckLabels(const std::string& field, const std::map<std::string, std::string>& labels,
                 Findings& findings) {
  findings.Size(field, labels.size(), kMapEntriesMax, "labels");
  for (const auto& [name, value] : labels) {
    std::optional<std::string> fault = LabelNameFault(name);
    if (!fault) fault = LabelValueFault(value);
    findings.Text(field + "." + name, std::move(fault));
  }
}

void CheckMounts(const JobSpec& spec, Findings& findings) {
  const std::vector<Mount>& mounts = spec.program.mounts;
  if (!mounts.empty() && spec.program.image.empty()) {
    findings.Add(Kind::kContradiction, "mounts",
                 "are for jobs with an image: without one the job sees its node's directories");
  }
  findings.Size("mounts", mounts.size(), kMountsMax, "directories");
  std::set<std::string> taken;
  for (const Mount& mount : mounts) {
    findings.Text("mounts", MountFault(mount));
    if (!taken.insert(PlainPath(mount.to)).second)
      findings.Add(Kind::kContradiction, "mounts", "name " + mount.to + " in the image twice");
    if (spec.recovery.checkpoint.directory.empty()) continue;
    const std::string kept = PlainPath(spec.recovery.checkpoint.directory);
    const std::string to = PlainPath(mount.to);
    const bool is_elsewhere = PlainPath(mount.from) != to;
    if (is_elsewhere && PathsOverlap(to, kept)) {
      findings.Add(Kind::kContradiction, "mounts",
                   ToText(mount) +
                       " covers checkpoint.dir, which is at the same path on the node and in the "
                       "image: mount " +
                       mount.from + " as itself");
    } else if (mount.read_only && to == kept) {
      findings.Add(Kind::kContradiction, "mounts",
                   ToText(mount) + " is checkpoint.dir, which the job writes to: leave out :ro");
    }
  }
}

void CheckData(const JobSpec& spec, Findings& findings) {
  findings.Size("stage", spec.program.stage.size(), kStagedMax, "sources");
  std::vector<std::string> covered;
  for (const Mount& mount : spec.program.mounts) covered.push_back(PlainPath(mount.to));
  if (!spec.recovery.checkpoint.directory.empty())
    covered.push_back(PlainPath(spec.recovery.checkpoint.directory));
  for (const StagedData& data : spec.program.stage) {
    findings.Text("stage", StagedDataFault(data));
    const std::string to = PlainPath(data.to);
    const bool overlaps = std::ranges::any_of(
        covered, [&](const std::string& other) { return PathsOverlap(to, other); });
    if (overlaps)
      findings.Add(Kind::kContradiction, "stage",
                   data.to +
                       " overlaps with another source, a mount or checkpoint.dir: choose "
                       "another path");
    covered.push_back(to);
  }
  findings.Size("artifacts", spec.program.artifacts.size(), kArtifactsMax, "entries");
  std::set<std::string> targets;
  for (const Artifact& artifact : spec.program.artifacts) {
    findings.Text("artifacts", ArtifactFault(artifact));
    if (!targets.insert(artifact.to.substr(0, artifact.to.find_last_not_of('/') + 1)).second)
      findings.Add(Kind::kContradiction, "artifacts",
                   "two are copied to " + artifact.to + ": give each a place of its own");
  }
}

// A render node gives its user the whole GPU, whatever share of it is granted.
void CheckGraphics(const JobSpec& spec, Findings& findings) {
  if (!spec.program.graphics) return;
  const auto has_whole = [](const GpuRequest& gpus) {
    return gpus.count > 0 && gpus.isolation == Isolation::kExclusive &&
           gpus.share_thousandths == kShareMax;
  };
  const bool is_whole = has_whole(spec.resources.gpus) &&
                        std::ranges::all_of(spec.resources.any_of, has_whole, &Alternative::gpus);
  if (!is_whole) {
    findings.Add(Kind::kContradiction, "graphics",
                 "needs whole GPUs, which the job does not share: leave it out, or ask for whole "
                 "ones");
  }
}

void CheckStageOnly(const JobSpec& spec, Findings& findings) {
  const JobProgram& program = spec.program;
  const auto needless = [&](bool given, std::string_view field) {
    if (given)
      findings.Add(Kind::kContradiction, std::string(field),
                   "the job only stages (stage_only) and starts no program: leave this out");
  };
  needless(!program.command.empty(), "run");
  needless(program.launcher != Launcher::kNone, "launcher");
  needless(program.interactive, "stage_only");
  needless(!program.artifacts.empty(), "artifacts");
  if (program.stage.empty() && !HasLayers(program.image))
    findings.Add(Kind::kContradiction, "stage_only",
                 "there is nothing to stage: name an image of a registry or a layout, or data "
                 "(stage)");
}

void CheckCommand(const JobSpec& spec, Findings& findings) {
  if (spec.program.stage_only) {
    CheckStageOnly(spec, findings);
  } else if (spec.program.command.empty() || spec.program.command.front().empty()) {
    findings.Add(Kind::kText, "run", "names no program: give a script or a list of arguments");
  }
  size_t bytes = 0;
  for (const std::string& argument : spec.program.command) {
    bytes += argument.size() + 1;
    if (auto fault = ArgumentFault(argument)) {
      findings.Text("run", std::move(fault));
      break;
    }
  }
  findings.Size("run", bytes, kCommandBytesMax, "bytes");
  if (!spec.program.working_directory.empty())
    findings.Text("workdir", PathFault(spec.program.working_directory));
  CheckImage(spec, findings);
  CheckMounts(spec, findings);
  CheckData(spec, findings);
  CheckGraphics(spec, findings);
  if (spec.program.network == NetworkAccess::kNone && MayHaveSeveralNodes(spec)) {
    findings.Add(Kind::kContradiction, "network",
                 "none leaves the ranks of a job on several nodes without a way to meet: leave it "
                 "out, or ask for one node");
  }
  if (spec.program.launcher != Launcher::kNone && spec.program.interactive) {
    findings.Add(Kind::kContradiction, "launcher",
                 "an interactive job runs what its user types: leave it out");
  }
  if (!spec.file.empty()) findings.Text("file", PathFault(spec.file));
}

// Each alternative must be as legal as the job's own fields; its problems are reported with its
// number.
void CheckAlternatives(const JobSpec& spec, Findings& findings) {
  findings.Size("any_of", spec.resources.any_of.size(), kAlternativesMax, "alternatives");
  for (size_t i = 0; i < std::min(spec.resources.any_of.size(), kAlternativesMax); ++i) {
    JobSpec one;  // only the fields to check, not the whole job again
    one.resources.nodes = spec.resources.any_of[i].nodes;
    one.resources.nodes_min = spec.resources.any_of[i].nodes_min;
    one.resources.gpus = spec.resources.any_of[i].gpus;
    one.resources.cpus = spec.resources.any_of[i].cpus;
    one.resources.memory_bytes = spec.resources.any_of[i].memory_bytes;
    one.resources.shm_bytes = spec.resources.shm_bytes;
    one.program.interactive = spec.program.interactive;
    for (SpecProblem& problem : FindProblems(one)) {
      const bool is_its_own =
          problem.field.starts_with("resources.") || problem.field.starts_with("nodes");
      if (is_its_own)
        findings.Add(
            problem.kind, "any_of",
            "number " + std::to_string(i + 1) + ": " + problem.field + " " + problem.message);
    }
  }
}

void CheckNodes(const JobSpec& spec, Findings& findings) {
  findings.Range("nodes", spec.resources.nodes, 1, kNodesPerJobMax);
  if (spec.resources.nodes_min == 0) return;
  findings.Range("nodes_min", spec.resources.nodes_min, 1, kNodesPerJobMax);
  if (spec.resources.nodes_min > spec.resources.nodes) {
    findings.Add(Kind::kContradiction, "nodes_min",
                 std::to_string(spec.resources.nodes_min) +
                     " is more than nodes, the most that it takes (" +
                     std::to_string(spec.resources.nodes) + ")");
  }
}

void CheckArray(const JobSpec& spec, Findings& findings) {
  findings.Range("array.count", spec.policy.array.count, 0, kArrayMax);
  findings.Range("array.max_parallel", spec.policy.array.max_parallel, 0, kArrayMax);
  if (spec.policy.array.count == 0 && spec.policy.array.max_parallel != 0) {
    findings.Add(
        Kind::kContradiction, "array",
        "limits how many of its jobs run and does not say how many there are: write count");
  }
  if (spec.policy.array.count != 0 && spec.program.interactive) {
    findings.Add(Kind::kContradiction, "array",
                 "an interactive job has one terminal, so it is no array: leave it out");
  }
}

}  // namespace

std::vector<std::string> SecretsOf(const JobSpec& spec) {
  std::vector<std::string> names = spec.program.secrets;
  AddName(spec.program.image_credentials, names);
  for (const StagedData& data : spec.program.stage) AddName(data.credentials, names);
  for (const std::string& name : SecretsOfCopies(spec)) AddName(name, names);
  return names;
}

std::vector<std::string> SecretsOfCopies(const JobSpec& spec) {
  std::vector<std::string> names;
  AddName(spec.recovery.checkpoint.credentials, names);
  for (const Artifact& artifact : spec.program.artifacts) AddName(artifact.credentials, names);
  return names;
}

std::string KeyThatNames(const std::string& secret, const JobSpec& spec) {
  const auto names = [&](const auto& one) { return one.credentials == secret; };
  if (secret == spec.program.image_credentials) return "image_credentials";
  if (std::ranges::any_of(spec.program.stage, names)) return "stage";
  if (secret == spec.recovery.checkpoint.credentials) return "checkpoint.credentials";
  return std::ranges::any_of(spec.program.artifacts, names) ? "artifacts" : "secrets";
}

Duration LongestStay(const JobSpec& spec) {
  return spec.policy.time_limit.ns == 0 ? kForever
                                        : spec.policy.time_limit + spec.policy.grace + kEndMargin;
}

bool MayHaveSeveralNodes(const JobSpec& spec) {
  return spec.resources.nodes > 1 ||
         std::ranges::any_of(spec.resources.any_of,
                             [](const Alternative& one) { return one.nodes > 1; });
}

bool KeepsWork(const JobSpec& spec) { return spec.policy.preemptible || spec.policy.movable; }

bool Matches(const LogClues& clues, const JobSpec& spec, LogAction action) {
  return std::ranges::any_of(clues.rules, [&](int rule) {
    return rule >= 0 && rule < static_cast<int>(spec.recovery.on_log.size()) &&
           spec.recovery.on_log[static_cast<size_t>(rule)].action == action;
  });
}

Instant EndOfStay(Instant placed_at, const JobSpec& spec) {
  return spec.policy.time_limit.ns == 0 ? kNever : placed_at + LongestStay(spec);
}

std::vector<SpecProblem> FindProblems(const JobSpec& spec) {
  Findings findings;
  CheckNames(spec, findings);
  CheckNodes(spec, findings);
  CheckGpus(spec.resources.gpus, findings);
  CheckHostResources(spec, findings);
#define GP_CHECK_RANGE(group, name, ...) \
  __VA_OPT__(findings.Range(#name, spec.group.name, __VA_ARGS__);)
  GP_JOB_VALUES(GP_CHECK_RANGE)
#undef GP_CHECK_RANGE
  findings.Range("topology.network_levels", spec.placement.topology.network_levels, 0,
                 kNetworkLevelsMax);
  CheckTimes(spec, findings);
  CheckCheckpoint(spec.recovery.checkpoint, findings);
  CheckLogRules(spec.recovery.on_log, findings);
  CheckMetricRules(spec.recovery.on_metric, findings);
  CheckNotify(spec.notify, findings);
  CheckEnvironment(spec, findings);
  CheckSecrets(spec, findings);
  CheckLabels("labels", spec.labels, findings);
  CheckLabels("node_labels", spec.placement.node_labels, findings);
  CheckCommand(spec, findings);
  CheckAlternatives(spec, findings);
  CheckArray(spec, findings);
  if (spec.program.interactive && spec.resources.nodes > 1) {
    findings.Add(Kind::kContradiction, "nodes",
                 "an interactive job has one terminal, so it has one node: write 1");
  }
  return findings.Take();
}

Status ValidateJobSpec(const JobSpec& spec) {
  const std::vector<SpecProblem> problems = FindProblems(spec);
  if (problems.empty()) return Ok();
  return Fail(InvalidArgument(problems.front().field + ": " + problems.front().message));
}

}  // namespace gp
