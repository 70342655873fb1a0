#pragma once

// What each XID has to lead to, by NVIDIA's list of immediate actions and the exceptions that are
// named one by one.  Nothing here reads the platform's catalogue: it is the other opinion.

#include <string_view>

#include "domain/faults/xid.h"
#include "domain/model/nodes/gpu.h"
#include "tests/property/faults/one_node.h"

namespace gp {

struct Expected {
  Fate named = Fate::kUntouched;   // a job of one GPU, which the report names
  Fate mate = Fate::kUntouched;    // a job on the same GPU, which it does not name
  Fate linked = Fate::kUntouched;  // a job of two GPUs, which it names
  GpuCondition condition = GpuCondition::kAvailable;
  GpuRemedy remedy = GpuRemedy::kNone;
  bool has_incident = false;
  bool needs_person = false;
  bool is_counted = false;
};

// NVIDIA's bucket; "": it prints none; "unused": on Ampere and later.
std::string_view BucketOf(int xid);

// Of one report whose text says that it is fatal, where texts say such things.
Expected ExpectedOf(int xid);

}  // namespace gp
