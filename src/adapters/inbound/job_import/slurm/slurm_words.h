#pragma once

// The Slurm variables and commands that a script uses while it runs.

#include <map>
#include <string>
#include <vector>

#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/slurm/sbatch_directives.h"
#include "adapters/inbound/job_import/slurm/slurm_values.h"

namespace gp {

struct ScriptFacts {
  bool is_shell = false;  // false: shell lines cannot set its variables
  bool is_login_shell = false;
  bool has_steps = false;  // programs of srun, which read variables themselves
  int64_t tasks_per_node = 1;
  SlurmArray array;                           // no runs: not an array
  std::map<std::string, std::string> stated;  // variables whose values are in the directives
};

// Shell lines that set the Slurm variables that the script reads, and those of an array, from the
// variables of the job.  Adds a note for each variable without a counterpart, and for each line
// with a Slurm command.
std::vector<std::string> SlurmVariables(const std::vector<ScriptLine>& body,
                                        const ScriptFacts& facts, std::vector<ImportNote>& notes);

}  // namespace gp
