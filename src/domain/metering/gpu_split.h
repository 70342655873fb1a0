#pragma once

// The division of one GPU at one moment: thousandths for each lease on it, and the rest by the
// reason why nobody has it.  The parts always add up to a whole GPU.

#include <vector>

#include "domain/metering/usage.h"
#include "domain/model/ids.h"
#include "domain/model/nodes/gpu.h"

namespace gp {

struct UsagePart {
  UsageKind kind = UsageKind::kIdle;
  LeaseId lease;  // 0: nobody's
  int share = 0;
  bool operator==(const UsagePart&) const = default;
};

// What others cannot use because of a lease: thousandths of the GPU by compute or by memory,
// whichever is more.
struct GpuClaim {
  LeaseId lease;
  int share = 0;
};

// The share of a GPU that counts for each claim: its full share, or proportionally less if the
// claims exceed the GPU.  The remainder goes to the first claims.
std::vector<int> ScaledShares(const std::vector<GpuClaim>& claims);

// `is_lost`: the node is lost; `is_drained`: the node is drained.  No part is 0.
std::vector<UsagePart> SplitOf(const Gpu& gpu, bool is_lost, bool is_drained,
                               const std::vector<GpuClaim>& claims);

}  // namespace gp
