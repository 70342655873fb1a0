#pragma once

// Where the time of all GPUs went: by rows of the usage ledger, and by jobs.  Both are kept
// independently and have the same sum (docs/reference/invariants.md, I12).

#include <map>

#include "base/fields.h"
#include "domain/metering/usage_meter.h"
#include "domain/model/ids.h"

namespace gp {

struct Metering {
  Instant now;                   // of the newest entry; never goes back, whatever clocks do
  UsageMeter used;               // contains all time of every GPU
  UsageMeter installed;          // by pool and model: all installed GPUs
  std::map<JobId, JobUse> jobs;  // known jobs that had GPUs
  JobUse forgotten;              // the sum over forgotten jobs
  bool operator==(const Metering&) const = default;
};
GP_FIELDS(Metering, v.now, v.used, v.installed, v.jobs, v.forgotten)

}  // namespace gp
