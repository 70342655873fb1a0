#pragma once

// What a script for Slurm relies on while it runs: variables, and commands such as srun.

#include <string>
#include <vector>

#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm_values.h"

namespace gp {

struct ScriptFacts {
  bool is_shell = true;        // else no line of a shell can set its variables
  int64_t tasks_per_node = 1;
  std::string cpus_per_task;   // empty: not said
  SlurmArray array;            // count 0: none
};

// Lines of a shell that set, from ours, those of Slurm's variables that the script reads and those of an array; with a note
// for each that there is nothing for, and for each line on which a command of Slurm's is named.
std::vector<std::string> SlurmVariables(const std::vector<ScriptLine>& body, const ScriptFacts& facts, std::vector<ImportNote>& notes);

}  // namespace gp
