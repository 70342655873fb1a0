#pragma once

#include "files/descriptor.h"

namespace gp {

// The host as the fork server finds it, before a supervisor enters namespaces of its own: open
// descriptors, which every supervisor inherits, because opening them costs each attempt more than
// the fork of its supervisor.  -1: there is no such namespace.  A job never gets them.
struct Host {
  Descriptor proc;  // valid even after another /proc is mounted
  Descriptor root;  // the root directory; entering the mount namespace alone leads out of a chroot
  Descriptor mounts;
  Descriptor pids;
  Descriptor ipc;
  Descriptor network;
};

// Opened by the first call.  REQUIRES: the first call comes before all changes of namespaces.
const Host& TheHost();

}  // namespace gp
