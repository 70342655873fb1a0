#include "adapters/outbound/link/agent_messages.h"

#include "adapters/outbound/link/gpu_readings.h"
#include "adapters/wire/node_link.h"

namespace gp {
namespace {

void AddReadings(const std::vector<GpuReading>& readings, const std::vector<GpuIdentity>& gpus,
                 google::protobuf::RepeatedPtrField<v1::GpuReadings>* messages) {
  for (size_t i = 0; i < readings.size(); ++i) *messages->Add() = ReadingsOf(readings[i], i, gpus);
}

void AddProgress(const std::vector<LeaseProgress>& progress,
                 google::protobuf::RepeatedPtrField<v1::LeaseProgress>* messages) {
  for (const LeaseProgress& one : progress) {
    v1::LeaseProgress* message = messages->Add();
    message->set_lease(one.lease.value);
    message->set_at_ns(one.at.ns);
    message->set_step(one.step);
    message->set_steps(one.steps);
    message->set_refused(one.refused);
    message->set_staging(one.staging.what);
    message->set_staged_bytes(one.staging.bytes);
    message->set_staging_bytes(one.staging.bytes_total);
    message->set_staged_layers(one.staging.layers);
    message->set_staging_layers(one.staging.layers_total);
    message->set_staging_left_ms(one.staging.left.ToMilliseconds());
  }
}

void AddImages(const std::vector<HeldImage>& images, v1::HeldImages* message) {
  for (const HeldImage& one : images) {
    v1::HeldImage* part = message->add_images();
    part->set_name(one.name);
    part->set_digest(one.digest);
    part->set_bytes(one.bytes);
    part->set_used_at_ns(one.used_at.ns);
    for (const std::string& key : one.keys) {
      if (const auto lease = ParseLeaseKey(key)) part->add_leases(lease->value);
    }
  }
}

}  // namespace

v1::AgentMessage ToMessage(const MetricParts& parts) {
  v1::AgentMessage message;
  for (const MetricPart& part : parts.parts) {
    v1::MetricPart* one = message.mutable_metrics()->add_parts();
    one->set_job(part.source.job.value);
    one->set_attempt(part.source.attempt);
    one->set_rank(part.source.rank);
    one->set_offset(part.offset);
    one->set_data(part.bytes);
  }
  return message;
}

v1::AgentMessage ToMessage(const JoinNode& join) {
  v1::AgentMessage message;
  v1::Join* part = message.mutable_join();
  ToProto(*join.facts, part->mutable_facts());
  part->set_lineage(join.lineage);
  part->set_incarnation(join.incarnation);
  part->set_fresh(join.fresh);
  for (const LeaseObservation& seen : join.leases) ToProto(seen, part->add_leases());
  return message;
}

v1::AgentMessage ToMessage(const GpuNews& news) {
  v1::AgentMessage message;
  v1::GpuNews* part = message.mutable_gpu_news();
  for (const FaultSignal& signal : news.signals) ToProto(signal, part->add_signals());
  for (const GpuTaskResult& result : news.results) ToProto(result, part->add_results());
  return message;
}

v1::AgentMessage ToMessage(const AgentReport& report, const std::vector<GpuIdentity>& gpus) {
  v1::AgentMessage message;
  v1::Report* part = message.mutable_report();
  for (const LeaseObservation& seen : report.leases) ToProto(seen, part->add_leases());
  for (const GpuObservation& seen : report.gpus) ToProto(seen, part->add_gpus());
  AddReadings(report.readings, gpus, part->mutable_readings());
  AddProgress(report.progress, part->mutable_progress());
  if (report.images) AddImages(*report.images, part->mutable_images());
  return message;
}

v1::AgentMessage ToMessage(const Heartbeat& heartbeat, const std::vector<GpuIdentity>& gpus) {
  v1::AgentMessage message;
  v1::Heartbeat* part = message.mutable_heartbeat();
  AddReadings(heartbeat.readings, gpus, part->mutable_readings());
  AddProgress(heartbeat.progress, part->mutable_progress());
  return message;
}

}  // namespace gp
