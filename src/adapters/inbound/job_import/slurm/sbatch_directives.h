#pragma once

// The #SBATCH lines of a script, parsed as sbatch does.

#include <string>
#include <string_view>
#include <vector>

#include "adapters/inbound/job_import/imported_job.h"

namespace gp {

struct Directive {
  int line = 0;
  std::string written;  // "--nodes=2", "-N 2"
  std::string name;     // the long name: "nodes"; an unknown option: as written
  std::string value;    // empty: none
  bool is_known = true;
};

struct ScriptLine {
  int number = 0;    // from 1
  std::string text;  // without its end
};

struct SbatchScript {
  std::string first_line;  // "#!/bin/bash"; empty: none
  std::vector<Directive> directives;
  std::vector<ScriptLine> body;   // the other lines
  std::vector<ImportNote> notes;  // for directives that sbatch itself ignores
};

SbatchScript ReadSbatchScript(std::string_view text);

}  // namespace gp
