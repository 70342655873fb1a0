#pragma once

#include <string>

#include "cmd/cli.h"
#include "domain/model/job_spec.h"

namespace gp {

// Why the job waits, and what would start it.
void ExplainJob(const std::string& job, Cli& cli);
// The same for a job that is not submitted.
void PlanJob(const JobSpec& spec, Cli& cli);

}  // namespace gp
