#include "adapters/wire/node_link.h"

#include <algorithm>

#include "base/digest.h"
#include "base/text.h"
#include "domain/model/jobs/ports.h"

namespace gp {
namespace {

constexpr int kCheckpointsSeenMax = 16;
constexpr Duration kRanMax = Duration::Minutes(60 * 24 * 3650);

void ToProto(const LogClues& clues, v1::LogClues* message) {
  message->set_gpu_memory(clues.gpu_memory);
  message->set_communication(clues.communication);
  for (const int rule : clues.rules) message->add_rules(rule);
  message->set_last_error(clues.last_error);
  message->set_mps_failed(clues.mps_failed);
}

LogClues FromProto(const v1::LogClues& message) {
  LogClues clues{message.gpu_memory(),
                 message.communication(),
                 {},
                 Printable(message.last_error(), kLastErrorMax),
                 message.mps_failed()};
  for (const int rule : message.rules()) {
    if (clues.rules.size() < kLogRulesMax) clues.rules.push_back(rule);
  }
  return clues;
}

void ToProto(const Checkpoint& checkpoint, v1::CheckpointReport* message) {
  message->set_number(checkpoint.number);
  message->set_step(checkpoint.step);
  message->set_path(checkpoint.path);
  message->set_bytes(checkpoint.bytes);
  message->set_took_ns(checkpoint.took.ns);
  message->set_is_complete(checkpoint.is_complete);
  message->set_fault(checkpoint.fault);
  message->set_at_ns(checkpoint.at.ns);
  if (checkpoint.is_scored) message->set_score(checkpoint.score);
}

Checkpoint FromProto(const v1::CheckpointReport& message) {
  Checkpoint checkpoint;
  checkpoint.number = message.number();
  checkpoint.step = message.step();
  checkpoint.path = message.path().substr(0, kCheckpointPathMax);
  checkpoint.bytes = message.bytes();
  checkpoint.took.ns = message.took_ns();
  // A shortened path would name another file.
  checkpoint.is_complete = message.is_complete() && message.path().size() <= kCheckpointPathMax;
  checkpoint.fault = message.fault().substr(0, 500);
  checkpoint.at.ns = message.at_ns();
  checkpoint.is_scored = message.has_score();
  checkpoint.score = message.score();
  return checkpoint;
}

void ToProto(const MigTable& table, v1::MigTable* message) {
  message->set_compute_slices(table.compute_slices);
  message->set_memory_slices(table.memory_slices);
  for (const MigProfile& profile : table.profiles) {
    v1::MigTable::Profile* part = message->add_profiles();
    part->set_id(profile.id);
    part->set_name(profile.name);
    part->set_compute_slices(profile.compute_slices);
    part->set_memory_slices(profile.memory_slices);
    part->set_memory_mib(profile.memory_mib);
    part->set_starts(profile.starts);
  }
}

// ValidateNodeFacts refuses impossible values.
MigTable FromProto(const v1::MigTable& message) {
  MigTable table{message.compute_slices(), message.memory_slices(), {}};
  for (const v1::MigTable::Profile& part : message.profiles()) {
    table.profiles.push_back({part.id(), Printable(part.name(), 64), part.compute_slices(),
                              part.memory_slices(), part.memory_mib(), part.starts()});
  }
  return table;
}

void ToProto(const RankUse& use, v1::RankUse* message) {
  message->set_since_ns(use.since.ns);
  for (const GpuUse& gpu : use.gpus) {
    v1::RankUse::Gpu* part = message->add_gpus();
    part->set_gpu(gpu.gpu);
    part->set_seen_ms(gpu.seen_ms);
    part->set_busy_ms(gpu.busy_ms);
    if (gpu.memory_mib != GpuUse::kNotSeen) part->set_memory_mib(gpu.memory_mib);
  }
  message->set_cpu_ms(use.cpu_ms);
  message->set_cpu_seen_ms(use.cpu_seen_ms);
  if (use.memory_mib != GpuUse::kNotSeen) message->set_memory_mib(use.memory_mib);
}

// Follows() refuses impossible values.
RankUse FromProto(const v1::RankUse& message) {
  const auto memory = [](const auto& part) {
    return part.has_memory_mib() ? std::clamp<int64_t>(part.memory_mib(), 0, kUseMemoryMibMax)
                                 : GpuUse::kNotSeen;
  };
  RankUse use{{message.since_ns()}, {}, message.cpu_ms(), message.cpu_seen_ms(), memory(message)};
  for (const auto& part : message.gpus())
    use.gpus.push_back({part.gpu(), part.seen_ms(), part.busy_ms(), memory(part)});
  return use;
}

}  // namespace

void ToProto(const NodeFacts& facts, v1::NodeFacts* message) {
  message->set_name(facts.name);
  message->set_simulated(facts.simulated);
  message->set_driver_version(facts.driver_version);
  message->set_machine(facts.machine);
  message->mutable_features()->Assign(facts.features.begin(), facts.features.end());
  for (const NumaFacts& numa : facts.numa) {
    v1::NodeFacts::Numa* part = message->add_numa();
    part->set_os_id(numa.os_id);
    part->set_package(numa.package);
    part->set_cpus(numa.cpus.ToString());
    part->set_memory_mib(numa.memory_mib);
  }
  for (const GpuFacts& gpu : facts.gpus) {
    v1::NodeFacts::GpuFact* part = message->add_gpus();
    part->set_uuid(gpu.uuid);
    part->set_model(gpu.model);
    part->set_pci_bus_id(gpu.pci_bus_id);
    part->set_minor(gpu.minor);
    part->set_numa(gpu.numa);
    part->set_memory_mib(gpu.memory_mib);
    part->set_mps(gpu.mps);
    if (!gpu.mig.empty()) ToProto(gpu.mig, part->mutable_mig());
  }
  message->set_links(std::string(facts.links.begin(), facts.links.end()));
}

Result<NodeFacts> FromProto(const v1::NodeFacts& message) {
  NodeFacts facts;
  facts.name = message.name();
  facts.simulated = message.simulated();
  facts.driver_version = message.driver_version().substr(0, 64);
  facts.machine = message.machine();
  facts.features.insert(message.features().begin(), message.features().end());
  for (const auto& part : message.numa()) {
    facts.numa.push_back(
        {part.os_id(), part.package(), GP_TRY(CpuSet::Parse(part.cpus())), part.memory_mib()});
  }
  for (const auto& part : message.gpus()) {
    facts.gpus.push_back({part.uuid(), part.model().substr(0, 128), part.pci_bus_id().substr(0, 32),
                          part.minor(), part.numa(), part.memory_mib(), part.mps(),
                          FromProto(part.mig())});
  }
  facts.links.assign(message.links().begin(), message.links().end());
  GP_CHECK_OK(ValidateNodeFacts(facts));
  return facts;
}

void ToProto(const LeaseObservation& seen, v1::LeaseObservation* message) {
  message->set_lease(seen.lease.value);
  message->set_running(seen.running);
  message->set_ended(seen.ended);
  message->set_started_at_ns(seen.started_at.ns);
  message->set_ended_at_ns(seen.ended_at.ns);
  message->set_end(static_cast<int>(seen.outcome.end));
  message->set_exit_code(seen.outcome.exit_code);
  message->set_signal(seen.outcome.signal);
  message->set_message(seen.outcome.message);
  ToProto(seen.outcome.clues, message->mutable_clues());
  for (const Checkpoint& checkpoint : seen.checkpoints)
    ToProto(checkpoint, message->add_checkpoints());
  message->set_is_hung(seen.is_hung);
  message->set_ran_ns(seen.ran.ns);
  message->set_image_digest(seen.image_digest);
  message->set_first_port(seen.first_port);
  message->set_metric_rule(seen.metric_rule);
  message->set_metric_value(seen.metric_value);
  if (seen.use.since.ns != 0) ToProto(seen.use, message->mutable_use());
}

Result<LeaseObservation> FromProto(const v1::LeaseObservation& message) {
  LeaseObservation seen;
  seen.lease = {message.lease()};
  seen.running = message.running();
  seen.ended = message.ended();
  seen.started_at.ns = message.started_at_ns();
  seen.ended_at.ns = message.ended_at_ns();
  if (message.end() < 0 || message.end() > static_cast<int>(LeaseEnd::kPlatformFault)) {
    return Fail(InvalidArgument("report: unknown way in which a lease ended"));
  }
  seen.outcome.end = static_cast<LeaseEnd>(message.end());
  seen.outcome.exit_code = message.exit_code() & 0xff;
  seen.outcome.signal = message.signal() & 0x7f;
  seen.outcome.message = message.message().substr(0, 500);
  seen.outcome.clues = FromProto(message.clues());
  if (message.checkpoints_size() > kCheckpointsSeenMax)
    return Fail(InvalidArgument("report: too many checkpoints of one lease"));
  for (const v1::CheckpointReport& checkpoint : message.checkpoints())
    seen.checkpoints.push_back(FromProto(checkpoint));
  seen.is_hung = message.is_hung();
  seen.ran.ns = std::clamp<int64_t>(message.ran_ns(), 0, kRanMax.ns);
  if (!message.image_digest().empty() && !IsSha256Name(message.image_digest()))
    return Fail(InvalidArgument("report: the digest of an image is malformed"));
  seen.image_digest = message.image_digest();
  if (message.first_port() != 0 && !IsFirstPort(message.first_port()))
    return Fail(InvalidArgument("report: no block of ports begins there"));
  seen.first_port = message.first_port();
  seen.metric_rule = message.metric_rule();
  seen.metric_value = Printable(message.metric_value(), 200);
  if (message.use().gpus_size() > kGpusMax)
    return Fail(InvalidArgument("report: use of too many GPUs"));
  if (message.has_use()) seen.use = FromProto(message.use());
  return seen;
}

void ToProto(const GpuObservation& seen, v1::GpuObservation* message) {
  message->set_gpu(seen.gpu);
  message->set_healthy(seen.healthy);
  message->set_lost(seen.lost);
  message->set_detail(seen.detail);
  for (const HealthFinding& finding : seen.findings) {
    v1::GpuObservation::Finding* part = message->add_findings();
    part->set_code(static_cast<int>(finding.code));
    part->set_value(finding.value);
    part->set_limit(finding.limit);
  }
}

// An unknown code of a newer agent only means that the GPU is not healthy.
GpuObservation FromProto(const v1::GpuObservation& message) {
  GpuObservation seen{
      message.gpu(), message.healthy(), message.lost(), message.detail().substr(0, 500), {}};
  for (const v1::GpuObservation::Finding& part : message.findings()) {
    const bool is_known = part.code() >= 0 && part.code() < kHealthCodes;
    const bool is_new = std::ranges::none_of(seen.findings, [&](const HealthFinding& one) {
      return static_cast<int>(one.code) == part.code();
    });
    if (is_known && is_new)
      seen.findings.push_back({static_cast<HealthCode>(part.code()), part.value(), part.limit()});
  }
  return seen;
}

void ToProto(const FaultSignal& signal, v1::FaultSignal* message) {
  message->set_number(signal.number);
  message->set_gpu(signal.gpu);
  message->set_kind(static_cast<int>(signal.kind));
  message->set_xid(signal.xid);
  message->set_lease(signal.lease.value);
  message->set_advice(Name(signal.advice));
  message->set_told(Name(signal.reported));
  message->set_is_fatal(signal.is_fatal);
  message->set_at_ns(signal.at.ns);
  message->set_text(signal.text);
  message->set_is_of_peer(signal.is_of_peer);
}

Result<FaultSignal> FromProto(const v1::FaultSignal& message) {
  if (message.kind() < 0 || message.kind() > static_cast<int>(SignalKind::kFabric))
    return Fail(InvalidArgument("report: unknown kind of fault"));
  FaultSignal signal;
  signal.number = message.number();
  signal.gpu = message.gpu();
  signal.kind = static_cast<SignalKind>(message.kind());
  signal.xid = message.xid();
  signal.lease = {message.lease()};
  signal.advice = ParseDriverAdvice(message.advice()).value_or(DriverAdvice::kUnknown);
  signal.reported = ParseDriverAdvice(message.told()).value_or(DriverAdvice::kUnknown);
  signal.is_fatal = message.is_fatal();
  signal.at.ns = message.at_ns();
  signal.text = message.text().substr(0, 500);
  signal.is_of_peer = message.is_of_peer();
  return signal;
}

void ToProto(const GpuTaskResult& result, v1::GpuTaskResult* message) {
  message->set_gpu(result.gpu);
  message->set_number(result.number);
  message->set_ok(result.ok);
  message->set_detail(result.detail);
}

GpuTaskResult FromProto(const v1::GpuTaskResult& message) {
  return {message.gpu(), message.number(), message.ok(), message.detail().substr(0, 500)};
}

}  // namespace gp
