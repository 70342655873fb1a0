#pragma once

// Where the time of all GPUs went: by rows of the book, and by jobs.  Both are kept by themselves
// and come to the same (docs/reference/invariants.md, I12).

#include <map>

#include "domain/metering/usage_meter.h"
#include "domain/model/ids.h"

namespace gp {

struct Metering {
  Instant now;                   // of the newest entry; never steps back, whatever clocks do
  UsageMeter used;               // each GPU is in it with all of its time
  UsageMeter installed;          // by pool and model: what there was
  std::map<JobId, JobUse> jobs;  // those that are remembered and had GPUs
  JobUse forgotten;              // of the others, together
  bool operator==(const Metering&) const = default;
};

}  // namespace gp
