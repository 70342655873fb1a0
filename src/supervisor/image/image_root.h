#pragma once

// The job's root directory: the files of an image, under a layer that takes what the job writes and
// is gone with the attempt.  Of the host the job sees what LaunchSpec binds, the device files of
// its GPUs, and the files by which names are resolved; docs/images.md has the list.

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// REQUIRES: a mount namespace of the attempt's own, in which nothing is mounted yet; the working
// directory is the attempt's.  Afterwards it is the image's root, without /proc.  Errors:
// kInvalidArgument (what the job names is not there, or not for its user).
Status EnterImageRoot(const LaunchSpec& spec);

}  // namespace gp
