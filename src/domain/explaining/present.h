#pragma once

// The input of a forecast: all open jobs of a state, and the lengths of finished ones.  It is a
// copy, so the writer's thread can take it and any other thread can read it
// (docs/adr/0023-forecasts.md).

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "domain/cluster/state/state.h"
#include "domain/scheduling/reasons/what_is_out.h"

namespace gp {

// A job that has run and ended.
struct PastRun {
  std::shared_ptr<const JobSpec> spec;
  std::string user;
  std::string queue;
  std::string pool;
  Duration length;
};

struct Present {
  State state;                // without finished jobs, except those that other jobs wait for
  std::vector<PastRun> past;  // the most recently ended first
  // Kept here because the copied state has none: forecasts do not predict faults.
  IncidentsByGpu incidents;
};

inline constexpr size_t kPastRunsMax = 10'000;  // finished jobs that are examined

Present TakePresent(const State& state);

// The size that decides the cost of a copy: nodes, leases and open jobs.  Copying kPartsMax takes
// less than a tenth of a second.
size_t PartsOf(const State& state);
inline constexpr size_t kPartsMax = 50'000;

// The time on its GPUs that counts towards the end of a job: of all attempts if it keeps its work
// when it is preempted, otherwise of the last attempt.
Duration WorkOf(const Job& job, Instant at);

}  // namespace gp
