#pragma once

#include <string>

#include "base/result.h"

namespace gp {

// Gives a directory another name on its file system; nothing may have that name yet.  The kernel
// refuses this (EXDEV) where the directory lies in a lower layer of an overlay, which is what the
// image of a container is: then it is copied, with owners, modes and times, and the old one removed
// once the copy is on the disk.  A crash on the way loses nothing. kInternal, with both names and
// the reason.
Status MoveDirectory(const std::string& from, const std::string& to);

}  // namespace gp
