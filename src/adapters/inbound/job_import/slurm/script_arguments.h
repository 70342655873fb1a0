#pragma once

// Notes where a script reads its arguments: they are given at submit, not in the file.

#include <vector>

#include "adapters/inbound/job_import/imported_job.h"
#include "adapters/inbound/job_import/slurm/sbatch_directives.h"

namespace gp {

// A note for each line that reads arguments of the script, which is one for a shell.
void NoteArguments(const std::vector<ScriptLine>& body, std::vector<ImportNote>& notes);

// The same for scripts of other languages, which read their arguments by other names.
void NoteForeignArguments(const std::vector<ScriptLine>& body, std::vector<ImportNote>& notes);

}  // namespace gp
