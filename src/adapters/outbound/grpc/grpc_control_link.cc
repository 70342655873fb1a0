#include "adapters/outbound/grpc/grpc_control_link.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "adapters/outbound/grpc/link_connection.h"
#include "adapters/wire/node_link.h"

namespace gp {
namespace {

constexpr int64_t kMiB = 1 << 20;

const char* Name(RecoveryAction action) {
  switch (action) {
    case RecoveryAction::kNone: return "none";
    case RecoveryAction::kGpuReset: return "gpu-reset";
    case RecoveryAction::kNodeReboot: return "node-reboot";
    case RecoveryAction::kDrainP2p: return "drain-p2p";
    case RecoveryAction::kDrainAndReset: return "drain-and-reset";
  }
  return "none";
}

void ToProto(const GpuHealth& health, v1::GpuReadings* message) {
  message->set_lost(health.lost);
  if (health.temperature_c) message->set_temperature_celsius(*health.temperature_c);
  if (health.power_watts) message->set_power_watts(*health.power_watts);
  if (health.utilization_percent) message->set_utilization_percent(*health.utilization_percent);
  if (health.memory_used_mib) message->set_memory_used_bytes(*health.memory_used_mib * kMiB);
  if (health.ecc) {
    message->set_ecc_corrected(health.ecc->corrected_volatile);
    message->set_ecc_uncorrected(health.ecc->uncorrected_volatile);
  }
  if (health.row_remap) {
    message->set_row_remap_pending(health.row_remap->pending);
    message->set_row_remap_failed(health.row_remap->failed);
  }
  if (health.nvlinks_active) message->set_nvlinks_active(*health.nvlinks_active);
  if (health.nvlinks_total) message->set_nvlinks_total(*health.nvlinks_total);
  if (health.recovery_action) message->set_recovery_action(Name(*health.recovery_action));
  for (const std::string& reason : health.throttle_reasons) message->add_throttle_reasons(reason);
}

void ToProto(const GpuReading& reading, v1::GpuReadings* message) {
  message->set_age_seconds(static_cast<double>(reading.age_ns) / 1e9);
  message->set_stale(!reading.health || reading.age_ns > kReadingStaleAfter.ns);
  if (!message->stale()) ToProto(*reading.health, message);
}

void ToProto(const GpuIdentity& gpu, v1::GpuReadings* message) {
  message->set_uuid(gpu.uuid);
  message->set_serial(gpu.serial);
  message->set_vbios(gpu.vbios);
  if (gpu.temperature_slowdown_c) message->set_temperature_slowdown_celsius(*gpu.temperature_slowdown_c);
  if (gpu.temperature_shutdown_c) message->set_temperature_shutdown_celsius(*gpu.temperature_shutdown_c);
  if (gpu.power_limit_watts) message->set_power_limit_watts(*gpu.power_limit_watts);
}

}  // namespace

GrpcControlLink::GrpcControlLink(const NodeCredentials& credentials)
    : credentials_(credentials), event_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

GrpcControlLink::~GrpcControlLink() {
  connection_.reset();
  close(event_fd_);
}

void GrpcControlLink::Connect(const JoinNode& join) {
  v1::AgentMessage message;
  v1::Join* part = message.mutable_join();
  gp::ToProto(*join.facts, part->mutable_facts());
  part->set_lineage(join.lineage);
  part->set_incarnation(join.incarnation);
  part->set_fresh(join.fresh);
  for (const LeaseObservation& seen : join.leases) gp::ToProto(seen, part->add_leases());
  connection_.reset();  // the old one ends first
  connection_ = std::make_unique<LinkConnection>(credentials_, channels_, event_fd_, std::move(message));
}

uint64_t GrpcControlLink::Send(const AgentReport& report) {
  v1::AgentMessage message;
  v1::Report* part = message.mutable_report();
  for (const LeaseObservation& seen : report.leases) gp::ToProto(seen, part->add_leases());
  for (const GpuObservation& seen : report.gpus) gp::ToProto(seen, part->add_gpus());
  for (size_t i = 0; i < report.readings.size(); ++i) {
    v1::GpuReadings* readings = part->add_readings();
    ToProto(report.readings[i], readings);
    if (i < identities_.size()) ToProto(identities_[i], readings);
  }
  for (const LeaseProgress& progress : report.progress) {
    v1::LeaseProgress* one = part->add_progress();
    one->set_lease(progress.lease.value);
    one->set_at_ns(progress.at.ns);
    one->set_step(progress.step);
    one->set_steps(progress.steps);
    one->set_refused(progress.refused);
  }
  return connection_->Send(std::move(message));
}

uint64_t GrpcControlLink::Send(const GpuNews& news) {
  v1::AgentMessage message;
  v1::GpuNews* part = message.mutable_gpu_news();
  for (const FaultSignal& signal : news.signals) gp::ToProto(signal, part->add_signals());
  for (const GpuTaskResult& result : news.results) gp::ToProto(result, part->add_results());
  return connection_->Send(std::move(message));
}

LinkNews GrpcControlLink::TakeNews() {
  uint64_t drained = 0;
  (void)!read(event_fd_, &drained, sizeof drained);
  return connection_ == nullptr ? LinkNews{} : connection_->TakeNews();
}

}  // namespace gp
