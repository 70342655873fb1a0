#pragma once

// The steps of a script for Slurm, "srun PROGRAM", as what each node runs itself.

#include <cstdint>
#include <vector>

#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/sbatch_directives.h"

namespace gp {

struct StepPlan {
  int64_t nodes = 1;
  int64_t tasks_per_node = 1;
  int64_t gpus_per_task = 0;  // 0: each task sees all of its node's
  int64_t gpus_per_node = 0;  // of the job
};

// What the script needs before its first line.
struct StepUse {
  bool has_steps = false;     // programs that read variables of Slurm's by themselves
  bool has_tasks = false;     // gp_tasks N PROGRAM
  bool has_hosts = false;     // gp_hosts LIST
  bool has_terminal = false;  // programs that want a TERM
};

// Writes "srun PROGRAM" as PROGRAM, or as gp_tasks where a node runs several, each with GPUs of its
// own where it asks for some, and "scontrol show hostnames" as gp_hosts.  What an option of srun's
// asked for beside that has a note.  A step that cannot be read stays as it is.
StepUse TakeSteps(const StepPlan& plan, std::vector<ScriptLine>& body,
                  std::vector<ImportNote>& notes);

// Lines that define them.
std::vector<std::string> StepFunctions(const StepUse& use);

// A note for each line that reads arguments of the script.
void NoteArguments(const std::vector<ScriptLine>& body, std::vector<ImportNote>& notes);

}  // namespace gp
