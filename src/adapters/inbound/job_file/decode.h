#pragma once

// From the tree of one document to a job: walks the field table, then asks FindProblems, and points
// at the place of everything that is wrong.

#include <optional>
#include <string_view>

#include "adapters/inbound/job_file/diagnostic.h"
#include "adapters/inbound/job_file/yaml_tree.h"
#include "domain/model/job_spec.h"

namespace gp {

// `default_name` is for a job without one.  nullopt: refused, and the report says why.
std::optional<JobSpec> DecodeJob(const YamlNode& document, std::string_view default_name,
                                 Report& report);

// What is wrong with the finished job, as codes of this format.
JobFileCode CodeOf(SpecProblem::Kind kind);

}  // namespace gp
