#pragma once

// Files below an open directory, by paths of unknown origin: no path leads out of the directory,
// and no symbolic link is followed.

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// `path`: relative to the directory.  `flags` and `mode`: of open(2); it is closed on exec.
// kNotFound: it does not exist.  kInvalidArgument: the path leads out of the directory, or through
// a link or a file.  kConflict: it exists, and the flags have O_EXCL.  kInternal: the disk fails or
// is full.  The message begins with the path.
Result<Descriptor> OpenBeneath(int directory, const std::string& path, int flags, mode_t mode = 0);

// Makes the directories of the path that are missing, and opens the last one.  Errors as above.
Result<Descriptor> MakeDirectoriesBeneath(int directory, const std::string& path, mode_t mode);

// What stands before the last slash of a path, and after it; without a slash, "" and the path.
std::string PathAbove(const std::string& path);
std::string LastPartOf(const std::string& path);

}  // namespace gp
