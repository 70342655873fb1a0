#pragma once

// JobSpec as a message and back.

#include "domain/model/jobs/job_spec.h"
#include "gpu_platform/v1/job.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ToProto(const JobSpec& spec, v1::JobSpec* message);
// kInvalidArgument: an unknown enum value.  ValidateJobSpec checks the rest.
Result<JobSpec> FromProto(const v1::JobSpec& message);

// Saturates beyond the range of nanoseconds; validation refuses such values.
Duration FromMilliseconds(int64_t ms);

}  // namespace gp
