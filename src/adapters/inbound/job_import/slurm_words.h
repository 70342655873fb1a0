#pragma once

// What a script for Slurm relies on while it runs: variables, and commands such as srun.

#include <map>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm_values.h"

namespace gp {

struct ScriptFacts {
  bool is_shell = false;  // else no line of a shell can set its variables
  bool is_login_shell = false;
  bool has_steps = false;  // programs of srun's, which read variables by themselves
  int64_t tasks_per_node = 1;
  SlurmArray array;                           // no runs: none
  std::map<std::string, std::string> stated;  // variables whose values the directives say
};

// Lines of a shell that set, from those of the job, the variables of Slurm's that the script reads
// and those of an array; with a note for each that there is nothing for, and for each line on which
// a command of Slurm's is named.
std::vector<std::string> SlurmVariables(const std::vector<ScriptLine>& body,
                                        const ScriptFacts& facts, std::vector<ImportNote>& notes);

}  // namespace gp
