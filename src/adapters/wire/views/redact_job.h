#pragma once

#include "gpu_platform/v1/control.pb.h"

namespace gp {

// Leaves what every user may know of a job: that it exists, and what it holds; not what it runs
// and with what.
void RedactJob(gpu_platform::v1::Job* message);

}  // namespace gp
