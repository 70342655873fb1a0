#pragma once

// The JSON Schema of the job file, for editors; data/schema/job.v1.json is its output.  It says as
// much of the rules as a schema can: what depends on several keys only DecodeJobFile knows.

#include <string>

namespace gp {

std::string JobFileSchema();

}  // namespace gp
