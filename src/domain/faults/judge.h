#pragma once

// From what was seen to what is to be done.  The order of authority: the driver's own advice, then
// XID 154, then the rules of the policy.

#include <set>
#include <string>

#include "domain/faults/fault_policy.h"
#include "domain/faults/signal.h"

namespace gp {

// Why of a GPU that its node reports its GPUs without.
inline constexpr const char* kCauseMissing = "it is missing";

struct FaultVerdict {
  TenantAction tenants = TenantAction::kNone;
  GpuRemedy remedy = GpuRemedy::kNone;
  bool counts = false;
  std::string why;          // "XID 79", "the driver asks for a reset"
  bool with_grace = false;  // whoever is ended may keep its work first
  // Its fabric, or what the GPU is joined to, has failed: an operator has to look at the node
  bool is_of_node = false;
  bool operator==(const FaultVerdict&) const = default;
};

// `near`: XIDs of the same GPU within FaultPolicy::correlate.  `is_repeated`: the same was seen
// within a day.
FaultVerdict Judge(const FaultPolicy& policy, const FaultSignal& signal, const std::set<int>& near,
                   bool is_repeated);

}  // namespace gp
