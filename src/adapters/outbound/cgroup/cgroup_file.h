#pragma once

// Reading and writing the small files of /sys/fs/cgroup and /proc.  Every error names the file.

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace gp {

// kNotFound where there is no such file, kInternal otherwise.
Result<std::string> ReadCgroupFile(const std::string& path);
// One write(2), as the kernel requires. kNotFound, kInvalidArgument (the kernel refuses the value),
// kConflict (busy), kPermissionDenied or kInternal.
Status WriteCgroupFile(const std::string& path, std::string_view value);
// Creates an empty cgroup: one that is left from an earlier run is removed first.
Status MakeCgroup(const std::string& path);
// Removes it with its child cgroups; succeeds if it is absent. kConflict: processes are left
// inside.
Status RemoveCgroup(const std::string& path);

bool HasWord(std::string_view text, std::string_view word);

}  // namespace gp
