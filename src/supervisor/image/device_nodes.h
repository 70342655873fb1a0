#pragma once

// The device files in a job's image: those that every job may open, and those of its GPUs.  Which
// of them it may open is up to the device rules of its cgroup; files that are not there only keep
// programs from trying.

#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

struct DeviceNode {
  std::string path;
  DeviceNumber number;
  bool operator==(const DeviceNode&) const = default;
};

// Files of these devices in the host's directory, and in its subdirectories of drivers, sorted by
// path.
std::vector<DeviceNode> FindDeviceNodes(const std::string& directory,
                                        const std::vector<DeviceNumber>& devices);

// Over the directory /dev/shm; 0 bytes: half of the host's memory.
Status MountShm(int64_t bytes);

// Mounts /dev with a /dev/shm of this size and these nodes; a node
// outside /dev gets a directory of its own.  REQUIRES: the image's root is entered.
Status MountDevices(const std::vector<DeviceNode>& nodes, int64_t shm_bytes);

}  // namespace gp
