#pragma once

// Converts the steps of a script for Slurm, "srun PROGRAM", to commands that each node runs itself.

#include <cstdint>
#include <vector>

#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/slurm/sbatch_directives.h"

namespace gp {

// The job's resources, as far as steps depend on them.
struct StepPlan {
  int64_t nodes = 1;
  int64_t tasks_per_node = 1;
  int64_t gpus_per_task = 0;  // 0: each task sees all GPUs of its node
  int64_t gpus_per_node = 0;  // of the job
};

// What the changed script needs: variables and functions before its first line.
struct StepUse {
  bool has_steps = false;     // programs that read Slurm variables themselves
  bool has_tasks = false;     // gp_tasks N PROGRAM
  bool has_hosts = false;     // gp_hosts LIST
  bool has_terminal = false;  // programs that need TERM
};

// Replaces "srun PROGRAM" by PROGRAM, or by gp_tasks if a node runs several tasks (each with its
// own GPUs if requested), and "scontrol show hostnames" by gp_hosts.  Other options of srun have a
// note. A step that cannot be read does not change.
StepUse TakeSteps(const StepPlan& plan, std::vector<ScriptLine>& body,
                  std::vector<ImportNote>& notes);

// The lines that define the functions of `use`, and TERM.
std::vector<std::string> StepFunctions(const StepUse& use);

}  // namespace gp
