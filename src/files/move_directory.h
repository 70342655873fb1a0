#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Renames a directory within its file system; the new name must not exist yet.  The kernel refuses
// this (EXDEV) if the directory is in a lower layer of an overlay, as in the image of a container;
// then the directory is copied with owners, modes and times, and the old one is removed once the
// copy is on disk.  A crash in between loses nothing.  Errors: kInternal, with both names and the
// reason.
Status MoveDirectory(const std::string& from, const std::string& to);

}  // namespace gp
