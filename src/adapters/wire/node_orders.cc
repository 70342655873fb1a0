#include <memory>

#include "adapters/wire/job_spec.h"
#include "adapters/wire/node_link.h"

namespace gp {
namespace {

constexpr int kLeasesMax = 65'536;  // of one node

void ToProto(const GpuGrant& grant, v1::LeaseOrder::Grant* message) {
  message->set_gpu(grant.gpu);
  message->set_share(grant.share);
  message->set_memory_mib(grant.memory_mib);
  if (grant.mig_profile == kNoMig) return;
  message->mutable_mig()->set_profile(grant.mig_profile);
  message->mutable_mig()->set_start(grant.mig_start);
}

Result<GpuGrant> FromProto(const v1::LeaseOrder::Grant& message) {
  if (message.gpu() < 0 || message.gpu() >= kGpusMax)
    return Fail(InvalidArgument("order: no such GPU"));
  GpuGrant grant{message.gpu(), message.share(), message.memory_mib()};
  if (message.has_mig()) grant.mig_profile = message.mig().profile();
  if (message.has_mig()) grant.mig_start = message.mig().start();
  return grant;
}

void ToProto(const NumaGrant& grant, v1::LeaseOrder::NumaPart* message) {
  message->set_numa(grant.numa);
  message->set_cpus(grant.cpus.ToString());
  message->set_memory_mib(grant.memory_mib);
}

Result<NumaGrant> FromProto(const v1::LeaseOrder::NumaPart& message) {
  return NumaGrant{message.numa(), GP_TRY(CpuSet::Parse(message.cpus())), message.memory_mib()};
}

void LeaseToProto(const Lease& lease, v1::LeaseOrder* message) {
  message->set_lease(lease.id.value);
  message->set_job(lease.job.value);
  message->set_attempt(lease.attempt);
  message->set_rank(lease.rank);
  message->set_mode(static_cast<int>(lease.mode));
  for (const GpuGrant& grant : lease.gpus) ToProto(grant, message->add_gpus());
  for (const NumaGrant& grant : lease.numa) ToProto(grant, message->add_numa());
  message->set_stop_on_loss(lease.stop_on_loss);
  message->set_stop(static_cast<int>(lease.stop));
}

Result<Lease> LeaseFromProto(const v1::LeaseOrder& message) {
  Lease lease;
  lease.id = {message.lease()};
  lease.job = {message.job()};
  lease.attempt = message.attempt();
  lease.rank = message.rank();
  lease.mode = static_cast<GpuMode>(message.mode());
  for (const auto& part : message.gpus()) lease.gpus.push_back(GP_TRY(FromProto(part)));
  for (const auto& part : message.numa()) lease.numa.push_back(GP_TRY(FromProto(part)));
  lease.stop_on_loss = message.stop_on_loss();
  lease.stop = static_cast<StopOrder>(message.stop());
  return lease;
}

void ToProto(const DesiredLease& desired_lease, v1::LeaseOrder* message) {
  LeaseToProto(desired_lease.lease, message);
  gp::ToProto(*desired_lease.spec, message->mutable_spec());
  message->set_user_name(desired_lease.user.name);
  message->set_uid(desired_lease.user.uid);
  message->set_gid(desired_lease.user.gid);
  for (const std::string& name : desired_lease.node_names) message->add_node_names(name);
  message->set_master_address(desired_lease.master_address);
  message->set_array(desired_lease.array.value);
  message->set_resume_from(desired_lease.resume_from);
  message->set_resume_step(desired_lease.resume_step);
  for (const std::string& path : desired_lease.surplus) message->add_surplus(path);
  message->set_checkpoints_seen(desired_lease.checkpoints_seen);
  message->set_resume_copy(desired_lease.resume_copy);
  message->mutable_copies()->Assign(desired_lease.copies.begin(), desired_lease.copies.end());
  message->set_image_digest(desired_lease.image_digest);
  message->set_first_port(desired_lease.first_port);
  message->set_awaits_ports(desired_lease.awaits_ports);
  message->set_job_token(desired_lease.job_token);
  message->mutable_secrets()->insert(desired_lease.secrets.begin(), desired_lease.secrets.end());
}

Result<DesiredLease> FromProto(const v1::LeaseOrder& message) {
  DesiredLease desired_lease;
  desired_lease.lease = GP_TRY(LeaseFromProto(message));
  desired_lease.spec = std::make_shared<const JobSpec>(GP_TRY(gp::FromProto(message.spec())));
  desired_lease.user = {message.user_name(), message.uid(), message.gid()};
  desired_lease.node_names.assign(message.node_names().begin(), message.node_names().end());
  desired_lease.master_address = message.master_address();
  desired_lease.array = {message.array()};
  desired_lease.resume_from = message.resume_from();
  desired_lease.resume_step = message.resume_step();
  desired_lease.surplus.assign(message.surplus().begin(), message.surplus().end());
  desired_lease.checkpoints_seen = message.checkpoints_seen();
  desired_lease.resume_copy = message.resume_copy();
  desired_lease.copies.assign(message.copies().begin(), message.copies().end());
  desired_lease.image_digest = message.image_digest();
  desired_lease.first_port = message.first_port();
  desired_lease.awaits_ports = message.awaits_ports();
  desired_lease.job_token = message.job_token();
  desired_lease.secrets.insert(message.secrets().begin(), message.secrets().end());
  return desired_lease;
}

}  // namespace

void ToProto(const NodeDesiredState& desired, v1::Orders* message) {
  message->set_epoch(desired.epoch);
  message->set_revision(desired.revision);
  message->set_lineage(desired.lineage);
  message->set_last_lease(desired.last_lease.value);
  for (const DesiredLease& desired_lease : desired.leases)
    ToProto(desired_lease, message->add_leases());
  for (const DesiredGpuTask& desired_task : desired.tasks) {
    v1::GpuTaskOrder* part = message->add_tasks();
    part->set_gpu(desired_task.gpu);
    part->set_task(static_cast<int>(desired_task.task));
    part->set_number(desired_task.number);
  }
}

Result<NodeDesiredState> FromProto(const v1::Orders& message) {
  if (message.leases_size() > kLeasesMax) return Fail(InvalidArgument("orders: too many leases"));
  NodeDesiredState desired;
  desired.epoch = message.epoch();
  desired.revision = message.revision();
  desired.lineage = message.lineage();
  desired.last_lease = {message.last_lease()};
  for (const v1::LeaseOrder& desired_lease : message.leases())
    desired.leases.push_back(GP_TRY(FromProto(desired_lease)));
  for (const v1::GpuTaskOrder& desired_task : message.tasks()) {
    if (desired_task.gpu() < 0 || desired_task.gpu() >= kGpusMax)
      return Fail(InvalidArgument("order: no such GPU"));
    desired.tasks.push_back({desired_task.gpu(),
                             desired_task.task() == static_cast<int>(GpuTask::kReset)
                                 ? GpuTask::kReset
                                 : GpuTask::kTest,
                             desired_task.number()});
  }
  return desired;
}

}  // namespace gp
