#pragma once

// JobSpec as a message and back.

#include "domain/model/job_spec.h"
#include "gpu_platform/v1/job.pb.h"

namespace gp {

namespace v1 = gpu_platform::v1;

void ToProto(const JobSpec& spec, v1::JobSpec* message);
// Takes what is there as it is; ValidateJobSpec says whether it is legal.
JobSpec FromProto(const v1::JobSpec& message);

}  // namespace gp
