#pragma once

// Decides what to do about a fault. Order of authority: the driver's current advice, then XID 154,
// then the rules of the policy.

#include <set>
#include <string>

#include "domain/faults/fault_policy.h"
#include "domain/faults/signal.h"

namespace gp {

// The cause if a node joins without the GPU.
inline constexpr const char* kCauseMissing = "it is missing";

struct FaultVerdict {
  TenantAction tenants = TenantAction::kNone;
  GpuRemedy remedy = GpuRemedy::kNone;
  bool counts = false;
  std::string why;          // "XID 79", "the driver asks for a reset"
  bool with_grace = false;  // jobs that are stopped get their grace time
  // Its fabric or the GPU's peer has failed: operator action required on the node
  bool is_of_node = false;
  bool operator==(const FaultVerdict&) const = default;
};

// `near`: XIDs of the same GPU within FaultPolicy::correlate. `is_repeated`: the same error
// occurred within a day.
FaultVerdict Judge(const FaultPolicy& policy, const FaultSignal& signal, const std::set<int>& near,
                   bool is_repeated);

}  // namespace gp
