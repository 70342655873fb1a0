#pragma once

// The TCP ports on which an attempt's ranks meet: a block on the node of rank 0, which its agent
// leases to the attempt.  Blocks lie below the ports that kernels give to clients.

#include "domain/model/ids.h"

namespace gp {

inline constexpr int kPortFirst = 20'000;
inline constexpr int kPortsInBlock = 8;
inline constexpr int kPortBlocks = 1'500;
// The attempt has all ports of its block but the last one, by which its agent holds the block.
inline constexpr int kPortsLeased = kPortsInBlock - 1;

// Whether a block begins there.
bool IsFirstPort(int port);

// The first port of the block that an agent tries first.  The next 1,500 jobs have other ones, and
// so has the job's attempt before, whose programs may still listen.
int PreferredFirstPort(JobId job, int attempt);

// The port of attempts whose agents lease none.  All ranks compute the same; two attempts may meet.
int UnleasedPort(JobId job, int attempt);

}  // namespace gp
