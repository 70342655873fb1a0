#pragma once

// Decodes the tree of one document into a job: walks the field table, then calls FindProblems, and
// reports each problem with its place.

#include <optional>
#include <string_view>

#include "domain/model/jobs/job_spec.h"
#include "lib/yaml/diagnostic.h"
#include "lib/yaml/yaml_tree.h"

namespace gp {

// `default_name` is the name of a job that gives none.  nullopt: refused, and the report says why.
std::optional<JobSpec> DecodeJob(const YamlNode& document, std::string_view default_name,
                                 Report& report);

// The error code of this format for a problem of the finished job.
FileCode CodeOf(SpecProblem::Kind kind);

}  // namespace gp
