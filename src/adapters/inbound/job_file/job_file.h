#pragma once

// The job file (docs/reference/job_file.md): YAML or JSON, one or several documents, or a script
// with #GPU lines.  Strict: anything unknown is refused with line, column and a fix; nothing is
// dropped or guessed.  Any input gives jobs or diagnostics, never an exception.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "domain/model/jobs/job_spec.h"
#include "lib/yaml/diagnostic.h"

namespace gp {

struct JobFileOptions {
  // --set path=value; the value is YAML; it is set at the path, or added.
  std::vector<std::pair<std::string, std::string>> overrides = {};
  // --env NAME=value; the value is taken as it is.  Also sets variables that the file leaves empty.
  std::vector<std::pair<std::string, std::string>> environment = {};
  // The arguments after --: added to the command; $1 and so on of a script.
  std::vector<std::string> arguments = {};
};

struct DecodedJobs {
  std::vector<JobSpec> jobs;  // empty if there are diagnostics, never empty otherwise
  std::vector<Diagnostic> diagnostics;
};

// `file_name` is used in messages, for the name of a job that gives none, and to tell YAML from a
// script where the text does not show it; the file itself is not opened.
DecodedJobs DecodeJobFile(std::string_view file_name, std::string_view text,
                          const JobFileOptions& options = {});

}  // namespace gp
