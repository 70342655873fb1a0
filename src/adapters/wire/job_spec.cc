#include "adapters/wire/job_spec.h"

#include "adapters/wire/enum_from.h"
#include "adapters/wire/log_pattern.h"
#include "base/text.h"
#include "domain/model/jobs/array.h"
#include "domain/model/jobs/dependency.h"
#include "domain/model/jobs/job_text.h"

namespace gp {
namespace {

void ToProto(const GpuRequest& request, v1::GpuRequest* message) {
  message->set_count(request.count);
  for (const std::string& model : request.models) message->add_models(model);
  message->set_share_thousandths(request.share_thousandths);
  message->set_memory_mib(request.memory_mib);
  message->set_memory_mib_min(request.memory_mib_min);
  message->set_isolation(static_cast<v1::Isolation>(request.isolation));
}

Result<GpuRequest> FromProto(const v1::GpuRequest& message) {
  GpuRequest request;
  if (message.has_count()) request.count = message.count();
  request.models.assign(message.models().begin(), message.models().end());
  if (message.has_share_thousandths()) request.share_thousandths = message.share_thousandths();
  request.memory_mib = message.memory_mib();
  request.memory_mib_min = message.memory_mib_min();
  request.isolation =
      GP_TRY(EnumFrom(message.isolation(), Isolation::kMig, "resources.gpus.isolation"));
  return request;
}

void ToProto(const RetryPolicy& retry, v1::RetryPolicy* message) {
  message->set_retries_max(retry.retries_max);
  message->set_backoff_min_ms(retry.backoff_min.ToMilliseconds());
  message->set_backoff_max_ms(retry.backoff_max.ToMilliseconds());
  message->set_on_failure(retry.on_failure);
}

RetryPolicy FromProto(const v1::RetryPolicy& message) {
  RetryPolicy retry;
  if (message.has_retries_max()) retry.retries_max = message.retries_max();
  if (message.has_backoff_min_ms()) retry.backoff_min = FromMilliseconds(message.backoff_min_ms());
  if (message.has_backoff_max_ms()) retry.backoff_max = FromMilliseconds(message.backoff_max_ms());
  retry.on_failure = message.on_failure();
  return retry;
}

Result<Dependency> FromProto(const v1::Dependency& message) {
  const auto job = ParseOneJob(message.job_id());
  if (!job) return Fail(job.error().Within("after"));
  const auto kind = ParseAfterKind(message.when());
  if (!kind) return Fail(kind.error().Within("after"));
  return Dependency{*job, *kind};
}

Result<LogRule> FromProto(const v1::LogRule& message) {
  const auto action = LogActionFromText(message.action());
  if (!action) return Fail(action.error().Within("on_log"));
  GP_CHECK_OK(CheckLogPattern(message.pattern()));
  return LogRule{message.pattern(), *action};
}

void ToProto(const Alternative& alternative, v1::Alternative* message) {
  message->set_nodes(alternative.nodes);
  message->set_nodes_min(alternative.nodes_min);
  ToProto(alternative.gpus, message->mutable_gpus());
  message->set_cpus(alternative.cpus);
  message->set_memory_bytes(alternative.memory_bytes);
}

Result<Alternative> FromProto(const v1::Alternative& message) {
  const GpuRequest gpus = GP_TRY(FromProto(message.gpus()));
  return Alternative{message.has_nodes() ? message.nodes() : 1, message.nodes_min(), gpus,
                     message.cpus(), message.memory_bytes()};
}

Result<ArrayRequest> FromProto(const v1::ArrayRequest& message) {
  if (message.count() == 0)
    return Fail(
        InvalidArgument("array.count: must be from 1 to " + std::to_string(kArrayMax) + ", not 0"));
  return ArrayRequest{message.count(), message.max_parallel()};
}

// The rows of GP_JOB_VALUES and GP_JOB_DURATIONS.
void ValuesToProto(const JobSpec& spec, v1::JobSpec* message) {
#define GP_VALUE(group, name, ...) message->set_##name(spec.group.name);
#define GP_DURATION(group, name) message->set_##name##_ms(spec.group.name.ToMilliseconds());
  GP_JOB_VALUES(GP_VALUE)
  GP_JOB_DURATIONS(GP_DURATION)
#undef GP_VALUE
#undef GP_DURATION
}

// A value that the message may lack, and lacks, keeps its default.
template <typename Message>
void ValuesFromProto(const Message& message, JobSpec& spec) {
#define GP_HAS(name)                                  \
  [&] {                                               \
    if constexpr (requires { message.has_##name(); }) \
      return message.has_##name();                    \
    else                                              \
      return true;                                    \
  }()
#define GP_VALUE(group, name, ...) \
  if (GP_HAS(name)) spec.group.name = message.name();
#define GP_DURATION(group, name) \
  if (GP_HAS(name##_ms)) spec.group.name = FromMilliseconds(message.name##_ms());
  GP_JOB_VALUES(GP_VALUE)
  GP_JOB_DURATIONS(GP_DURATION)
#undef GP_HAS
#undef GP_VALUE
#undef GP_DURATION
}

void CheckpointToProto(const CheckpointRequest& request, v1::JobSpec* message) {
  message->set_checkpoint_directory(request.directory);
  message->set_checkpoint_signal(request.signal);
  message->set_checkpoint_every_ms(request.every.ToMilliseconds());
  message->set_checkpoint_keep(request.keep);
  message->set_checkpoint_best(static_cast<int>(request.best));
  message->set_checkpoint_copy_to(request.copy_to);
  message->set_checkpoint_credentials(request.credentials);
}

void DataToProto(const JobProgram& program, v1::JobSpec* message) {
  for (const StagedData& data : program.stage) {
    v1::StagedData* one = message->add_stage();
    one->set_from(data.from);
    one->set_to(data.to);
    one->mutable_include()->Assign(data.include.begin(), data.include.end());
    one->set_credentials(data.credentials);
    one->set_sha256(data.sha256);
  }
  for (const Artifact& artifact : program.artifacts) {
    v1::Artifact* one = message->add_artifacts();
    one->set_from(artifact.from);
    one->set_to(artifact.to);
    one->set_credentials(artifact.credentials);
  }
}

void DataFromProto(const v1::JobSpec& message, JobProgram& program) {
  for (const v1::StagedData& one : message.stage()) {
    program.stage.push_back({one.from(),
                             one.to(),
                             {one.include().begin(), one.include().end()},
                             one.credentials(),
                             one.sha256()});
  }
  for (const v1::Artifact& one : message.artifacts())
    program.artifacts.push_back({one.from(), one.to(), one.credentials()});
}

}  // namespace

Duration FromMilliseconds(int64_t ms) {
  constexpr int64_t kLargest = int64_t{1} << 62;
  if (ms > kLargest / 1'000'000) return {kLargest};
  if (ms < -kLargest / 1'000'000) return {-kLargest};
  return Duration::Milliseconds(ms);
}

void ToProto(const JobSpec& spec, v1::JobSpec* message) {
  message->set_name(spec.name);
  message->set_project(spec.project);
  ValuesToProto(spec, message);
  for (const Dependency& dependency : spec.policy.after) {
    v1::Dependency* one = message->add_after();
    one->set_job_id(ToText(dependency.job));
    one->set_when(Name(dependency.kind));
  }
  for (const Alternative& alternative : spec.resources.any_of)
    ToProto(alternative, message->add_any_of());
  ToProto(spec.resources.gpus, message->mutable_gpus());
  message->mutable_topology()->set_require(
      static_cast<v1::TopologyLevel>(spec.placement.topology.require));
  message->mutable_topology()->set_prefer(
      static_cast<v1::TopologyLevel>(spec.placement.topology.prefer));
  message->mutable_topology()->set_allow_cross_numa(spec.placement.topology.allow_cross_numa);
  message->mutable_topology()->set_network_levels(spec.placement.topology.network_levels);
  message->set_on_lease_loss(static_cast<v1::LeaseLoss>(spec.recovery.on_lease_loss));
  ToProto(spec.recovery.retry, message->mutable_retry());
  message->mutable_environment()->insert(spec.program.environment.begin(),
                                         spec.program.environment.end());
  message->mutable_labels()->insert(spec.labels.begin(), spec.labels.end());
  for (const std::string& word : spec.program.command) message->add_command(word);
  CheckpointToProto(spec.recovery.checkpoint, message);
  DataToProto(spec.program, message);
  for (const LogRule& rule : spec.recovery.on_log) {
    v1::LogRule* one = message->add_on_log();
    one->set_pattern(rule.pattern);
    one->set_action(std::string(ToText(rule.action)));
  }
  for (const MetricRule& rule : spec.recovery.on_metric) {
    v1::MetricRule* one = message->add_on_metric();
    one->set_condition(rule.condition);
    one->set_action(std::string(ToText(rule.action)));
  }
  if (!spec.notify.to.empty()) {
    message->mutable_notify()->mutable_to()->Assign(spec.notify.to.begin(), spec.notify.to.end());
    message->mutable_notify()->mutable_on()->Assign(spec.notify.on.begin(), spec.notify.on.end());
  }
  message->mutable_secrets()->Assign(spec.program.secrets.begin(), spec.program.secrets.end());
  for (const Mount& mount : spec.program.mounts) {
    v1::Mount* one = message->add_mounts();
    one->set_from(mount.from);
    one->set_to(mount.to);
    one->set_read_only(mount.read_only);
  }
  message->set_network(static_cast<v1::NetworkAccess>(spec.program.network));
  message->set_launcher(static_cast<v1::Launcher>(spec.program.launcher));
  message->set_file(spec.file);
  if (spec.policy.array.count != 0) {
    message->mutable_array()->set_count(spec.policy.array.count);
    message->mutable_array()->set_max_parallel(spec.policy.array.max_parallel);
  }
  message->mutable_node_labels()->insert(spec.placement.node_labels.begin(),
                                         spec.placement.node_labels.end());
}

Result<JobSpec> FromProto(const v1::JobSpec& message) {
  JobSpec spec;
  spec.name = message.name();
  if (!message.project().empty()) spec.project = message.project();
  ValuesFromProto(message, spec);
  for (const v1::Dependency& one : message.after())
    spec.policy.after.push_back(GP_TRY(FromProto(one)));
  for (const v1::Alternative& one : message.any_of())
    spec.resources.any_of.push_back(GP_TRY(FromProto(one)));
  spec.resources.gpus = GP_TRY(FromProto(message.gpus()));
  const v1::TopologyRequest& topology = message.topology();
  spec.placement.topology.require =
      GP_TRY(EnumFrom(topology.require(), TopologyLevel::kSameNode, "topology.require"));
  if (topology.has_prefer())
    spec.placement.topology.prefer =
        GP_TRY(EnumFrom(topology.prefer(), TopologyLevel::kSameNode, "topology.prefer"));
  if (topology.has_allow_cross_numa())
    spec.placement.topology.allow_cross_numa = topology.allow_cross_numa();
  spec.placement.topology.network_levels = topology.network_levels();
  spec.recovery.on_lease_loss =
      GP_TRY(EnumFrom(message.on_lease_loss(), LeaseLoss::kContinue, "on_lease_loss"));
  spec.recovery.retry = FromProto(message.retry());
  spec.program.environment.insert(message.environment().begin(), message.environment().end());
  spec.labels.insert(message.labels().begin(), message.labels().end());
  spec.program.command.assign(message.command().begin(), message.command().end());
  spec.recovery.checkpoint = {message.checkpoint_directory(),
                              message.checkpoint_signal(),
                              FromMilliseconds(message.checkpoint_every_ms()),
                              message.checkpoint_keep(),
                              {},
                              message.checkpoint_copy_to(),
                              message.checkpoint_credentials()};
  if (message.checkpoint_best() < 0 ||
      message.checkpoint_best() > static_cast<int>(BestScore::kMax)) {
    return Fail(InvalidArgument("checkpoint.best: 0, 1 (least) or 2 (greatest), not " +
                                std::to_string(message.checkpoint_best())));
  }
  spec.recovery.checkpoint.best = static_cast<BestScore>(message.checkpoint_best());
  for (const v1::MetricRule& one : message.on_metric()) {
    const auto action = MetricActionFromText(one.action());
    if (!action) return Fail(action.error().Within("on_metric"));
    spec.recovery.on_metric.push_back({one.condition(), *action});
  }
  for (const v1::LogRule& one : message.on_log())
    spec.recovery.on_log.push_back(GP_TRY(FromProto(one)));
  spec.notify.to.assign(message.notify().to().begin(), message.notify().to().end());
  spec.notify.on.assign(message.notify().on().begin(), message.notify().on().end());
  spec.program.secrets.assign(message.secrets().begin(), message.secrets().end());
  for (const v1::Mount& one : message.mounts()) {
    spec.program.mounts.push_back(
        {one.from(), one.to().empty() ? one.from() : one.to(), one.read_only()});
  }
  DataFromProto(message, spec.program);
  spec.program.network = GP_TRY(EnumFrom(message.network(), NetworkAccess::kNone, "network"));
  spec.program.launcher = GP_TRY(EnumFrom(message.launcher(), Launcher::kRay, "launcher"));
  spec.file = message.file();
  if (message.has_array()) spec.policy.array = GP_TRY(FromProto(message.array()));
  spec.placement.node_labels.insert(message.node_labels().begin(), message.node_labels().end());
  return spec;
}

}  // namespace gp
