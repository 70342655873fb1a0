#pragma once

// The private directories of MPS daemons: <base>/<minor>-<uid>, which only their user may enter.
// Sockets and logs of a daemon are in it, so that no other user's program can even knock.

#include <cstdint>
#include <string>

#include "base/result.h"

namespace gp {

// Makes it anew; what an earlier daemon left is removed.  Its path.  Errors: kInvalidArgument (too
// long for a socket's address), kInternal.
Result<std::string> MakeMpsDirectory(const std::string& base, int minor, uint32_t uid,
                                     uint32_t gid);

void RemoveMpsDirectory(const std::string& base, int minor, uint32_t uid);

// Whether a daemon of anybody has one for this GPU.
bool HasMpsDirectory(const std::string& base, int minor);

// Where the program of this name is in PATH, or the file itself where the name is a path; empty:
// nowhere.
std::string FindProgram(const std::string& name);

}  // namespace gp
