#pragma once

// What the files of `jobs` offer each other, `run` and `explain`.

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cmd/cli.h"
#include "domain/model/jobs/job_spec.h"

namespace gp {

// `jobs list`.
void AddJobsList(CLI::App& jobs, Cli& cli);
// `jobs logs`.
void AddLogs(CLI::App& jobs, Cli& cli);
// `jobs extend`.
void AddExtend(CLI::App& jobs, Cli& cli);
// `jobs import`: converts jobs of other schedulers to job files.
void AddJobsImport(CLI::App& jobs, Cli& cli);

// `jobs cancel`, `kill`, `hold` and `release`.
void AddJobsChange(CLI::App& jobs, Cli& cli);
// Each name selects one job or elements of an array.
void StopJobs(const std::vector<std::string>& names, bool force, Cli& cli);
// `jobs metrics`.
void AddJobMetrics(CLI::App& jobs, Cli& cli);
// `jobs retry` and `move`.
void AddJobsAgain(CLI::App& jobs, Cli& cli);

// Why the job waits, and what would start it.
void ExplainJob(const std::string& job, Cli& cli);
// When a pending job may start, and how to find out what would start it; nothing if it is not
// pending any more.
void DescribeOutlook(const std::string& job, Cli& cli);
// Why the job would wait, and what would start it, without submitting it.
void PlanJob(const JobSpec& spec, Cli& cli);

// Shows how a job used the resources that it was granted.
void ReportJob(const std::string& id, Cli& cli);

}  // namespace gp
