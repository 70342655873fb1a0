#pragma once

#include <string>

#include "cmd/cli.h"
#include "domain/model/job_spec.h"

namespace gp {

// Why the job waits, and what would start it.
void ExplainJob(const std::string& job, Cli& cli);
// When a pending job may start, and how to find out what would start it; nothing if it is not
// pending any more.
void DescribeOutlook(const std::string& job, Cli& cli);
// Why the job would wait, and what would start it, without submitting it.
void PlanJob(const JobSpec& spec, Cli& cli);

}  // namespace gp
