#pragma once

// The job file (docs/reference/job_file.md): YAML or JSON, one or several documents, or a script
// with #GPU lines.  Strict: what is not understood is refused with its line, column and a way out;
// nothing is dropped or guessed.  Input of any kind gives jobs or diagnostics, never an exception.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adapters/inbound/job_file/diagnostic.h"
#include "domain/model/job_spec.h"

namespace gp {

struct JobFileOptions {
  // --set path=value; the value is YAML and replaces or adds what stands at the path.
  std::vector<std::pair<std::string, std::string>> overrides = {};
  // --env NAME=value; the value is taken as it is.  Gives variables that the file leaves empty.
  std::vector<std::pair<std::string, std::string>> environment = {};
  // What stands behind --: further arguments of what runs; $1 and so on of a script.
  std::vector<std::string> arguments = {};
};

struct DecodedJobs {
  std::vector<JobSpec> jobs;  // empty if there are diagnostics, never empty otherwise
  std::vector<Diagnostic> diagnostics;
};

// `file_name` is for messages, for the name of a job without one, and tells YAML from a script
// where the text does not; the file itself is not opened.
DecodedJobs DecodeJobFile(std::string_view file_name, std::string_view text,
                          const JobFileOptions& options = {});

}  // namespace gp
