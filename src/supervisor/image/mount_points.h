#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Make what mounts are attached to, in the image's writable layer, whatever the image has there.
// REQUIRES: the image's root is entered, so that links in the image lead nowhere else.  Errors:
// kInvalidArgument (the image has a file in place of a directory).
Status MakeDirectories(const std::string& path);
// A regular file; a link or a special file of the image at this path is replaced.
Status MakeMountFile(const std::string& path);

}  // namespace gp
