#pragma once

// The device files in a job's image: those that every job may open, and those of its GPUs.  Which
// of them it may open is up to the device rules of its cgroup; files that are not there only keep
// programs from trying.

#include <sys/types.h>

#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/attempt_runner.h"
#include "supervisor/image/detached_tree.h"

namespace gp {

struct DeviceNode {
  std::string path;
  DeviceNumber number;
  mode_t mode = 0666;  // the host's, with owner and group: a site may have narrowed them
  uid_t owner = 0;
  gid_t group = 0;
  bool operator==(const DeviceNode&) const = default;
};

// Files of these devices in the host's directory, and in its subdirectories of drivers, sorted by
// path.
std::vector<DeviceNode> FindDeviceNodes(const std::string& directory,
                                        const std::vector<DeviceNumber>& devices);

// A directory with the nodes below `directory`, at their places in it.  Not sealed yet.
Result<DetachedTree> MakeNodeDirectory(const std::string& directory,
                                       const std::vector<DeviceNode>& nodes);
// The same for /dev, with what every job finds there.
Result<DetachedTree> MakeDev(const std::vector<DeviceNode>& nodes);

}  // namespace gp
