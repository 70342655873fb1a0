// The images that nodes hold.

#include <map>
#include <set>
#include <string>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/gpu_name.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

// What the answer tells of a lease.
struct LeaseFacts {
  NodeId node;
  JobId job;
  std::string job_name;
};
using LeasesById = std::map<LeaseId, LeaseFacts>;

std::set<LeaseId> LeasesIn(const std::map<std::string, v1::HeldImages>& held_by_node) {
  std::set<LeaseId> leases;
  for (const auto& [name, all] : held_by_node) {
    for (const v1::HeldImage& held : all.images()) {
      for (const uint64_t id : held.leases()) leases.insert(LeaseId{id});
    }
  }
  return leases;
}

// Those that there are.
LeasesById FindLeases(const State& state, const std::set<LeaseId>& ids) {
  LeasesById found;
  for (const LeaseId id : ids) {
    const Lease* lease = state.FindLease(id);
    if (lease == nullptr) continue;
    found[id] = {lease->node, lease->job,
                 ElementName(state.FindJob(lease->job)->array, lease->job)};
  }
  return found;
}

void AddImage(const std::string& node_name, NodeId node, const v1::HeldImage& held,
              const LeasesById& leases, v1::ListImagesReply* reply) {
  v1::NodeImage* image = reply->add_images();
  image->set_node(node_name);
  image->set_name(held.name());
  image->set_digest(held.digest());
  image->set_bytes(held.bytes());
  image->set_last_used(ToRfc3339(Instant{held.used_at_ns()}));
  std::map<JobId, std::string> jobs;
  for (const uint64_t id : held.leases()) {
    const auto lease = leases.find(LeaseId{id});
    if (lease != leases.end() && lease->second.node == node)
      jobs[lease->second.job] = lease->second.job_name;
  }
  for (const auto& [id, name] : jobs) image->add_jobs(name);
}

}  // namespace

// On the writer's thread only names are copied: large clusters hold many images.
Status ControlApi::ListImages(const Caller&, const v1::ListImagesRequest& request,
                              v1::ListImagesReply* reply) {
  Status found = Ok();
  std::map<std::string, NodeId> nodes;
  GP_CHECK_OK(gateway_.Read([&](const State& state) {
    if (request.node().empty()) {
      nodes = state.nodes.by_name;
    } else if (const auto node = FindNodeByName(state, request.node())) {
      nodes[request.node()] = *node;
    } else {
      found = Fail(node.error());
    }
  }));
  if (!found) return found;
  std::map<std::string, v1::HeldImages> held_by_node;
  for (const auto& [name, id] : nodes) held_by_node[name] = images_.Of(id);
  const std::set<LeaseId> ids = LeasesIn(held_by_node);
  LeasesById leases;
  if (!ids.empty())
    GP_CHECK_OK(gateway_.Read([&](const State& state) { leases = FindLeases(state, ids); }));
  for (const auto& [name, all] : held_by_node) {
    for (const v1::HeldImage& held : all.images()) AddImage(name, nodes[name], held, leases, reply);
  }
  return Ok();
}

}  // namespace gp
