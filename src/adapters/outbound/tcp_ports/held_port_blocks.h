#pragma once

// Holds blocks of ports by binding their last port: the kernel then refuses it to the other agents
// of the host, and gives it back when the agent ends.

#include <map>

#include "files/descriptor.h"
#include "ports/outbound/port_blocks.h"

namespace gp {

class HeldPortBlocks : public PortBlocks {
 public:
  int Take(LeaseId lease, int preferred) override;
  void Keep(LeaseId lease, int first_port) override;
  int Of(LeaseId lease) const override;
  void ReleaseOthers(const std::set<LeaseId>& leases) override;

 private:
  struct Block {
    int first = 0;
    Descriptor guard;  // bound to its last port; closed if that was taken when it was to be kept
  };
  bool IsHeld(int first) const;

  std::map<LeaseId, Block> blocks_;
};

}  // namespace gp
