#pragma once

// JobSpec as a message and back.

#include "domain/model/job_spec.h"
#include "gpu_platform/v1/job.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ToProto(const JobSpec& spec, v1::JobSpec* message);
// kInvalidArgument where an enum has a value that is none; what else is legal says ValidateJobSpec.
Result<JobSpec> FromProto(const v1::JobSpec& message);

// Milliseconds beyond what nanoseconds can hold become the largest; validation refuses those.
Duration FromMilliseconds(int64_t ms);

}  // namespace gp
