#pragma once

// What mounts are attached to, made in a tree of files that others wrote: links in it lead nowhere
// but into the tree, and no other mount is entered.

#include <string>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// Makes this directory, and those above it, below the root of the tree; one that is there is used.
// Errors: kInvalidArgument (the tree has something else there), kInternal (by the host's fault).
Result<Descriptor> MakeDirectoryIn(int tree, const std::string& path);
// The same for a regular file; a link or a special file at this path is replaced.
Result<Descriptor> MakeFileIn(int tree, const std::string& path);

// Opens `path`, "." or relative, below a directory, where neither links nor mounts lead elsewhere;
// makes nothing.
Descriptor OpenBelow(int directory, const std::string& path);

bool IsSameFile(const Descriptor& a, int b);

}  // namespace gp
