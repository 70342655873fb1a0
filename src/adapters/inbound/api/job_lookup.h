#pragma once

#include <string>
#include <string_view>

#include "application/access/caller.h"
#include "base/result.h"
#include "domain/cluster/state/state.h"

namespace gp {

// What the text calls a job, as "job-17" or "job-17[2-7]".  In place of "job-17" it may have "17",
// or the job's own name, and where nothing is changed (`act`) the beginning of it: the caller's
// jobs come before those of others, jobs that are not over before finished ones, whole names before
// beginnings; of finished jobs of one name the newest is meant.  kInvalidArgument: it means several
// jobs; kNotFound: none that the caller may see.
Result<std::string> JobNameFor(const State& state, const Caller& caller, JobAct act,
                               std::string_view text);

}  // namespace gp
