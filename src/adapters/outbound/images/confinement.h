#pragma once

// Takes from this process what reading a hostile archive must not have: the file system but for one
// directory, the network, other processes, and most of what root may do.

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// For ever.  `directory` becomes the root and the working directory.  What the process needs of
// the host (libraries, the locale) must be loaded before.  REQUIRES: one thread; root.
Status Confine(const Descriptor& directory);

// For ever, and for the program that this process starts next: it can read what its user can, and
// no more.  It writes no file, has no network and no devices, and starts no other process.
Status ConfineReader();

}  // namespace gp
