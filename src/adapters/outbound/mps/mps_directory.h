#pragma once

// The private directories of MPS daemons: <base>/<minor>-<uid>, accessible only to their user.
// They hold a daemon's sockets and logs, so that programs of other users cannot even connect.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace gp {

// Creates the directory, after removing what an earlier daemon left, and returns its path.  Errors:
// kInvalidArgument (too long for a socket's address), kInternal.
Result<std::string> MakeMpsDirectory(const std::string& base, int minor, uint32_t uid,
                                     uint32_t gid);

void RemoveMpsDirectory(const std::string& base, int minor, uint32_t uid);

// Whether any user's daemon has a directory for this GPU.
bool HasMpsDirectory(const std::string& base, int minor);

// The path of this program in PATH, or the name itself if it is a path; empty: not found.
std::string FindProgram(const std::string& name);

}  // namespace gp
