#pragma once

// The JSON Schema of the job file, for editors; data/schema/job.v1.json is its output.  It has the
// rules that a schema can express; those about several keys are only in DecodeJobFile.

#include <string>

namespace gp {

std::string JobFileSchema();

}  // namespace gp
