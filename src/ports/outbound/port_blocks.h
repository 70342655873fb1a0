#pragma once

#include <set>

#include "domain/model/ids.h"

namespace gp {

// Leases blocks of this host's TCP ports (domain/model/jobs/ports.h) to attempts.  A block has one
// holder on the host, whichever agent it belongs to.  One thread.
class PortBlocks {
 public:
  virtual ~PortBlocks() = default;

  // Leases the first block from `preferred` on in which nothing listens and which nobody holds.
  // Returns its first port; 0: there is none.  The lease must hold no block yet.
  virtual int Take(LeaseId lease, int preferred) = 0;
  // Holds this block for an attempt that was started with it by an earlier process of the agent.
  // Programs may listen in it already.
  virtual void Keep(LeaseId lease, int first_port) = 0;
  // The first port of the lease's block; 0: it holds none.
  virtual int Of(LeaseId lease) const = 0;
  // Gives back the blocks of all other leases.
  virtual void ReleaseOthers(const std::set<LeaseId>& leases) = 0;
};

}  // namespace gp
