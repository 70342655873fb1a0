#pragma once

// A recorded workload of gangs that hold GPUs.

#include <cstdint>
#include <vector>

namespace gp {

struct TraceJob {
  int64_t submit_s = 0;    // since the first submission
  int64_t duration_s = 0;  // on its GPUs, without the cost of preemptions
  int gpus = 1;
  int share = 1000;  // thousandths of each GPU: the reference policies support whole ones only
};

struct TraceWorkload {
  std::vector<TraceJob> jobs;  // in order of submission
};

}  // namespace gp
