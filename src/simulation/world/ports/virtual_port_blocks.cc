#include "simulation/world/ports/virtual_port_blocks.h"

#include <algorithm>

#include "domain/model/jobs/ports.h"

namespace gp {

int VirtualPortBlocks::Take(LeaseId lease, int preferred) {
  if (rng_.Chance(1, 100)) return 0;
  int first = preferred;
  while (!IsFree(first)) {
    first += kPortsInBlock;
    if (!IsFirstPort(first)) first = kPortFirst;
  }
  return blocks_[lease] = first;
}

int VirtualPortBlocks::Of(LeaseId lease) const {
  const auto found = blocks_.find(lease);
  return found == blocks_.end() ? 0 : found->second;
}

void VirtualPortBlocks::ReleaseOthers(const std::set<LeaseId>& leases) {
  std::erase_if(blocks_, [&](const auto& one) { return !leases.contains(one.first); });
}

bool VirtualPortBlocks::IsFree(int first_port) {
  const bool is_held = std::ranges::any_of(
      blocks_, [first_port](const auto& one) { return one.second == first_port; });
  return !is_held && !is_used_(first_port) && !rng_.Chance(1, 3);
}

}  // namespace gp
