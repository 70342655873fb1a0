#pragma once

// Mounts that a CDI file (Container Device Interface,
// github.com/cncf-tags/container-device-interface) lists for NVIDIA's GPUs.  Its device nodes and
// hooks are left out: a job gets the devices of its lease.

#include <string>
#include <vector>

#include "base/result.h"

namespace gp {

struct CdiMount {
  std::string from;  // on this host
  std::string to;    // in a container
  bool operator==(const CdiMount&) const = default;
};

// Those of its devices and of the file itself, each once; none if it is of another kind of device.
// Errors: kInvalidArgument, with `name` and the place.
Result<std::vector<CdiMount>> ReadCdiMounts(const std::string& name, const std::string& text);

}  // namespace gp
