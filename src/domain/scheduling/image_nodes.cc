#include "domain/scheduling/image_nodes.h"

#include "domain/model/jobs/image_reference.h"

namespace gp {
namespace {

uint64_t KeyOfImage(const State& state, const Job& job) {
  if (job.spec->program.image.empty() || state.nodes.by_image.empty()) return 0;
  return job.image_digest.empty() ? ImageKey(job.spec->program.image)
                                  : ImageKeyOfDigest(job.image_digest);
}

}  // namespace

const NodeBits& ImageNodes::For(const Job& job) {
  const uint64_t key = KeyOfImage(state_, job);
  if (key == 0) return none_;
  const auto [known, is_new] = by_image_.try_emplace(key);
  const auto holders = state_.nodes.by_image.find(key);
  if (is_new && holders != state_.nodes.by_image.end()) {
    for (const NodeId node : holders->second) known->second.Insert(node);
  }
  return known->second;
}

}  // namespace gp
