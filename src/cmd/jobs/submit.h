#pragma once

// From flags or a file to queued jobs.

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "adapters/inbound/job_file/job_flags.h"
#include "cmd/cli.h"

namespace gp {

// The flags that describe a job, on `run` and `jobs submit`.
void AddJobFlags(CLI::App& sub, JobFlags& flags);
// A flag of pairs; may be given several times.
void AddPairs(CLI::App& sub, const std::string& name,
              std::vector<std::pair<std::string, std::string>>& pairs, const std::string& help);
// Splits NAME=value; kInvalidArgument names the flag.
Result<std::vector<std::pair<std::string, std::string>>> SplitPairs(
    const std::string& flag, const std::vector<std::string>& texts);
// The caller's working directory, for a job that names none.  Empty if its jobs (which root's
// service user runs) could not enter it, or if they have an image of layers, which has one of its
// own.
std::string CallerDirectory(const std::string& image);
// The whole path of a job file, for its job to name; empty if it is stdin, or too long.
std::string JobFilePath(const std::string& path);
// The size of a gang, because GPUs are counted per node: "16 GPUs on 2 nodes"; empty: it is none.
std::string GangText(const JobSpec& spec);

// The text of a job file; "-" is stdin.  kInvalidArgument: it cannot be read or is larger than 1
// MiB.
Result<std::string> ReadJobFile(const std::string& path);

// Queues the specs; their ids.  Tries again while the controller is away: the request id makes it
// one submit.
Result<std::vector<std::string>> SubmitSpecs(Cli& cli, const std::vector<JobSpec>& specs, int count,
                                             const std::string& request_id);

}  // namespace gp
