// The images that nodes hold.

#include <set>

#include "adapters/inbound/api/control_api.h"
#include "adapters/inbound/api/gpu_name.h"
#include "base/text.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

constexpr size_t kImageNameMax = 300;  // agents may say anything

void AddImage(const State& state, const Node& node, const v1::HeldImage& held,
              v1::ListImagesReply* reply) {
  v1::NodeImage* image = reply->add_images();
  image->set_node(node.facts->name);
  image->set_name(Printable(held.name(), kImageNameMax));
  image->set_digest(Printable(held.digest(), kImageNameMax));
  image->set_bytes(held.bytes());
  image->set_last_used(ToRfc3339(Instant{held.used_at_ns()}));
  std::set<JobId> jobs;
  for (const uint64_t id : held.leases()) {
    const Lease* lease = state.FindLease(LeaseId{id});
    if (lease != nullptr && lease->node == node.id) jobs.insert(lease->job);
  }
  for (const JobId id : jobs) image->add_jobs(ElementName(state.FindJob(id)->array, id));
}

}  // namespace

Status ControlApi::ListImages(const Caller&, const v1::ListImagesRequest& request,
                              v1::ListImagesReply* reply) {
  Status found = Ok();
  const Status read = gateway_.Read([&](const State& state) {
    const bool is_known = request.node().empty() || state.nodes.by_name.contains(request.node());
    if (!is_known) found = Fail(FindNodeByName(state, request.node()).error());
    for (const auto& [name, id] : state.nodes.by_name) {
      if (!request.node().empty() && request.node() != name) continue;
      const Node& node = *state.FindNode(id);
      const v1::HeldImages all = images_.Of(id);
      for (const v1::HeldImage& held : all.images()) AddImage(state, node, held, reply);
    }
  });
  return read ? found : read;
}

}  // namespace gp
