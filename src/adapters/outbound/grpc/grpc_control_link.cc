#include "adapters/outbound/grpc/grpc_control_link.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include "adapters/outbound/grpc/gpu_readings.h"
#include "adapters/outbound/grpc/link_connection.h"
#include "adapters/wire/node_link.h"
#include "base/ignore_result.h"

namespace gp {

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
  connection_ =
      std::make_unique<LinkConnection>(credentials_, channels_, event_fd_, std::move(message));
}

uint64_t GrpcControlLink::Send(const AgentReport& report) {
  v1::AgentMessage message;
  v1::Report* part = message.mutable_report();
  for (const LeaseObservation& seen : report.leases) gp::ToProto(seen, part->add_leases());
  for (const GpuObservation& seen : report.gpus) gp::ToProto(seen, part->add_gpus());
  for (size_t i = 0; i < report.readings.size(); ++i) {
    *part->add_readings() = ReadingsOf(report.readings[i], i, identities_);
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
  IgnoreResult(read(event_fd_, &drained, sizeof drained), "only the wake-up matters");
  return connection_ == nullptr ? LinkNews{} : connection_->TakeNews();
}

}  // namespace gp
