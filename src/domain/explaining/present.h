#pragma once

// What a look ahead needs of a state: all that is open, and how long jobs took that are over.  A
// copy, so that it can be taken on the writer's thread and looked at on any other
// (docs/adr/0023-forecasts.md).

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "domain/cluster/state.h"
#include "domain/scheduling/what_is_out.h"

namespace gp {

// A job that is over and has run.
struct PastRun {
  std::shared_ptr<const JobSpec> spec;
  std::string user;
  std::string queue;
  std::string pool;
  Duration length;
};

struct Present {
  State state;                // finished jobs are left out, but for those that somebody waits for
  std::vector<PastRun> past;  // the last to end first
  IncidentsByGpu incidents;   // the state has none: nothing is foreseen of faults
};

inline constexpr size_t kPastRunsMax = 10'000;  // finished jobs that are looked at

Present TakePresent(const State& state);

// What a copy costs by: nodes, leases and open jobs.  kPartsMax are copied in less than a tenth of
// a second.
size_t PartsOf(const State& state);
inline constexpr size_t kPartsMax = 50'000;

// For how long it has had a place, as far as that counts for its end: in all attempts where it
// keeps its work when it is interrupted, otherwise in the last one.
Duration WorkOf(const Job& job, Instant at);

}  // namespace gp
