#pragma once

#include <functional>
#include <map>

#include "base/rng.h"
#include "ports/outbound/port_blocks.h"

namespace gp {

// The ports of one host, as held by one agent process.  Strangers listen on some of them, and at
// times on all.
class VirtualPortBlocks : public PortBlocks {
 public:
  // `is_used`: whether a program of this host listens in the block that begins there.
  VirtualPortBlocks(Rng& rng, std::function<bool(int first_port)> is_used)
      : rng_(rng), is_used_(std::move(is_used)) {}

  int Take(LeaseId lease, int preferred) override;
  void Keep(LeaseId lease, int first_port) override { blocks_[lease] = first_port; }
  int Of(LeaseId lease) const override;
  void ReleaseOthers(const std::set<LeaseId>& leases) override;

 private:
  bool IsFree(int first_port);

  Rng& rng_;
  const std::function<bool(int first_port)> is_used_;
  std::map<LeaseId, int> blocks_;
};

}  // namespace gp
