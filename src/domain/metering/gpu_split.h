#pragma once

// How the time of one GPU is divided at one moment: so many thousandths to each lease on it, and
// what nobody has by why that is.  The parts come to a whole GPU, always.

#include <vector>

#include "domain/metering/usage.h"
#include "domain/model/gpu.h"
#include "domain/model/ids.h"

namespace gp {

struct GpuPart {
  UsageKind kind = UsageKind::kIdle;
  LeaseId lease;  // 0: nobody's
  int share = 0;
  bool operator==(const GpuPart&) const = default;
};

// What a lease keeps from others: thousandths of the GPU by compute or by memory, whichever is
// more.
struct GpuClaim {
  LeaseId lease;
  int share = 0;
};

// How much of a GPU each claim is reckoned as: as much as it is, or less, in proportion, where all
// together are more than the GPU.  What cannot be divided goes to the first.
std::vector<int> Reckoned(const std::vector<GpuClaim>& claims);

// `is_lost`: its node does not answer; `is_drained`: the node is drained.  No part is 0.
std::vector<GpuPart> SplitOf(const Gpu& gpu, bool is_lost, bool is_drained,
                             const std::vector<GpuClaim>& claims);

}  // namespace gp
