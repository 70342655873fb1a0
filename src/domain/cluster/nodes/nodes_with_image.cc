#include "domain/cluster/nodes/nodes_with_image.h"

#include "domain/model/jobs/image_reference.h"

namespace gp {

const std::set<NodeId>& NodesWithImage(const State& state, const Job& job) {
  static const std::set<NodeId> kNone;
  if (job.spec->program.image.empty() || state.nodes.by_image.empty()) return kNone;
  const uint64_t key = job.image_digest.empty() ? ImageKey(job.spec->program.image)
                                                : ImageKeyOfDigest(job.image_digest);
  const auto holders = state.nodes.by_image.find(key);
  return holders == state.nodes.by_image.end() ? kNone : holders->second;
}

std::vector<uint64_t> KeysOfHeldImage(std::string_view name, std::string_view digest) {
  std::vector<uint64_t> keys = {ImageKeyOfDigest(digest)};
  if (const uint64_t key = ImageKey(name); key != 0) keys.push_back(key);
  return keys;
}

}  // namespace gp
