#include "adapters/wire/views/node_detail_view.h"

#include <string>

#include "adapters/wire/views/views.h"
#include "base/cpu_set.h"
#include "domain/cluster/arrays.h"
#include "domain/cluster/nodes/drain_end.h"

namespace gp {
namespace {

constexpr int kEndlessShown = 4;
constexpr int64_t kMib = 1 << 20;

void LeaseView(const State& state, const Lease& lease, v1::NodeLease* message) {
  const Job& job = *state.FindJob(lease.job);
  message->set_job_id(NameOf(job));
  message->set_job_name(job.spec->name);
  message->set_user(job.user.name);
  message->set_rank(lease.rank);
  for (const GpuGrant& grant : lease.gpus) message->add_gpus(grant.gpu);
  CpuSet cpus;
  int64_t memory_mib = 0;
  for (const NumaGrant& grant : lease.numa) {
    cpus = cpus.Union(grant.cpus);
    memory_mib += grant.memory_mib;
  }
  message->set_cpus(cpus.ToString());
  message->set_memory_bytes(memory_mib * kMib);
  if (const Instant end = LatestEnd(job); end != kNever) message->set_ends_by(TimeText(state, end));
}

}  // namespace

void DrainView(const State& state, const Node& node, v1::NodeDrain* message) {
  const DrainEnd end = EndOfDrain(state, node);
  const auto deadline = state.nodes.drain_deadlines.find({node.id, -1});
  if (node.drained_at.ns != 0) message->set_since(TimeText(state, node.drained_at));
  if (deadline != state.nodes.drain_deadlines.end())
    message->set_deadline(TimeText(state, deadline->second));
  message->set_jobs(end.jobs);
  if (end.at.ns != 0 && end.at != kNever) message->set_empty_by(TimeText(state, end.at));
  for (const JobId job : end.endless) {
    if (message->endless_size() < kEndlessShown) message->add_endless(NameOf(state, job));
  }
}

void LeasesView(const State& state, const Node& node, v1::Node* message) {
  for (const LeaseId lease : node.leases)
    LeaseView(state, *state.FindLease(lease), message->add_leases());
}

}  // namespace gp
