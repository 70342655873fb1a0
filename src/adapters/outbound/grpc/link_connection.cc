#include "adapters/outbound/grpc/link_connection.h"

#include <unistd.h>

#include "adapters/outbound/grpc/channel.h"
#include "adapters/outbound/grpc/gpu_readings.h"
#include "adapters/outbound/grpc/tunnel.h"
#include "adapters/wire/node_link.h"
#include "base/ignore_result.h"

namespace gp {

namespace {

void AddProgress(const std::vector<LeaseProgress>& progress,
                 google::protobuf::RepeatedPtrField<v1::LeaseProgress>* messages) {
  for (const LeaseProgress& one : progress) {
    v1::LeaseProgress* message = messages->Add();
    message->set_lease(one.lease.value);
    message->set_at_ns(one.at.ns);
    message->set_step(one.step);
    message->set_steps(one.steps);
    message->set_refused(one.refused);
  }
}

}  // namespace

LinkConnection::LinkConnection(const LinkParts& parts) : parts_(parts) {
  const ChannelSecurity security = parts_.credentials.Security();
  certificate_ = security.identity.certificate;
  tunnel_stub_ = stub_ = v1::NodeLink::NewStub(OpenChannel(parts_.address, security));
  context_.AddMetadata("gp-join-token", parts_.credentials.join_token());
  stream_ = stub_->Exchange(&context_);
  v1::AgentMessage probe;
  probe.mutable_probe();
  IgnoreResult(Post(std::move(probe)), "a peer that has gone ends the connection");
  reader_ = std::thread([this] { Read(); });
  writer_ = std::thread([this] { Write(); });
}

LinkConnection::~LinkConnection() {
  Break("closed");
  context_.TryCancel();
  reader_.join();
  writer_.join();
}

uint64_t LinkConnection::Send(const JoinNode& join) {
  v1::AgentMessage message;
  v1::Join* part = message.mutable_join();
  gp::ToProto(*join.facts, part->mutable_facts());
  part->set_lineage(join.lineage);
  part->set_incarnation(join.incarnation);
  part->set_fresh(join.fresh);
  for (const LeaseObservation& seen : join.leases) gp::ToProto(seen, part->add_leases());
  return Post(std::move(message));
}

uint64_t LinkConnection::Send(const AgentReport& report) {
  v1::AgentMessage message;
  v1::Report* part = message.mutable_report();
  for (const LeaseObservation& seen : report.leases) gp::ToProto(seen, part->add_leases());
  for (const GpuObservation& seen : report.gpus) gp::ToProto(seen, part->add_gpus());
  AddReadings(report.readings, part->mutable_readings());
  AddProgress(report.progress, part->mutable_progress());
  return Post(std::move(message));
}

uint64_t LinkConnection::Send(const GpuNews& news) {
  v1::AgentMessage message;
  v1::GpuNews* part = message.mutable_gpu_news();
  for (const FaultSignal& signal : news.signals) gp::ToProto(signal, part->add_signals());
  for (const GpuTaskResult& result : news.results) gp::ToProto(result, part->add_results());
  return Post(std::move(message));
}

uint64_t LinkConnection::Send(const Heartbeat& heartbeat) {
  v1::AgentMessage message;
  v1::Heartbeat* part = message.mutable_heartbeat();
  AddReadings(heartbeat.readings, part->mutable_readings());
  AddProgress(heartbeat.progress, part->mutable_progress());
  return Post(std::move(message));
}

void LinkConnection::AddReadings(
    const std::vector<GpuReading>& readings,
    google::protobuf::RepeatedPtrField<v1::GpuReadings>* messages) const {
  for (size_t i = 0; i < readings.size(); ++i)
    *messages->Add() = ReadingsOf(readings[i], i, parts_.identities);
}

uint64_t LinkConnection::Post(v1::AgentMessage message) {
  const std::lock_guard lock(mutex_);
  message.set_number(++last_number_);
  const bool is_report = message.has_report();
  is_report ? outgoing_.AddReport(std::move(message)) : outgoing_.Add(std::move(message));
  filled_.notify_one();
  return last_number_;
}

LinkNews LinkConnection::TakeNews() {
  const std::lock_guard lock(mutex_);
  LinkNews news = std::move(news_);
  news_ = LinkNews{};
  return news;
}

void LinkConnection::Signal() const {
  const uint64_t one = 1;
  IgnoreResult(write(parts_.event_fd, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
}

void LinkConnection::Break(const std::string& why) {
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return;
    closed_ = true;
    news_.broken = true;
    news_.why = why;
  }
  filled_.notify_one();
  Signal();
}

void LinkConnection::Write() {
  while (true) {
    v1::AgentMessage message;
    {
      std::unique_lock lock(mutex_);
      filled_.wait(lock, [this] { return closed_ || !outgoing_.empty(); });
      if (closed_) return;
      message = outgoing_.Take();
    }
    if (!stream_->Write(message)) return;  // the reader gets the reason
  }
}

void LinkConnection::Read() {
  v1::ControllerMessage message;
  while (stream_->Read(&message)) TakeMessage(message);
  {
    const std::lock_guard lock(mutex_);
    // Closed by this side; otherwise the controller's status must be read
    if (closed_) context_.TryCancel();
  }
  const grpc::Status status = stream_->Finish();
  Break(status.ok() ? "the controller closed it" : status.error_message());
}

std::shared_ptr<v1::NodeLink::Stub> LinkConnection::StubForTunnel() {
  const ChannelSecurity security = parts_.credentials.Security();
  if (security.identity.certificate == certificate_) return tunnel_stub_;
  certificate_ = security.identity.certificate;
  tunnel_stub_ = v1::NodeLink::NewStub(OpenChannel(parts_.address, security));
  return tunnel_stub_;
}

void LinkConnection::TakeMessage(const v1::ControllerMessage& message) {
  std::optional<NodeDesiredState> desired;
  if (message.has_orders()) {
    auto decoded = FromProto(message.orders());
    if (!decoded) return Break(decoded.error().message);
    desired = *std::move(decoded);
  }
  {
    const std::lock_guard lock(mutex_);
    if (message.has_probed())
      news_.probed = ControllerEpoch{message.probed().lineage(), message.probed().epoch()};
    news_.epoch = message.epoch();
    if (message.answers() > 0) {
      news_.acknowledged = message.answers();
      news_.heartbeat_every = Duration::Milliseconds(message.heartbeat_every_ms());
    }
    if (message.heartbeat() > 0) {
      news_.heartbeat = message.heartbeat();
      news_.wants_report = message.wants_report();
    }
    if (message.lease_time_ms() > 0)
      news_.lease_time = Duration::Milliseconds(message.lease_time_ms());
    if (desired) news_.desired = std::move(desired);
    if (message.foreign_to() != 0) news_.foreign_to = message.foreign_to();
  }
  for (const v1::OpenChannel& channel : message.channels()) {
    ServeTunnel(StubForTunnel(), parts_.credentials.join_token(), channel, parts_.channels);
  }
  Signal();
}

}  // namespace gp
