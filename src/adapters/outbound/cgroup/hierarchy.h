#pragma once

// Where the cgroups of this process are: one version 2 tree, version 1 trees per controller, or
// both side by side.  Parsed from /proc/self/mountinfo and /proc/self/cgroup.

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

struct CgroupHierarchy {
  std::string unified;                        // directory of our own cgroup; empty: no version 2
  bool unified_is_root = false;               // the kernel's root cgroup: its own rules apply
  std::map<std::string, std::string> legacy;  // controller -> directory of our own cgroup
};

// Never fails: what it cannot make sense of is not there.
CgroupHierarchy ParseHierarchy(std::string_view mountinfo, std::string_view self_cgroup);
Result<CgroupHierarchy> ReadHierarchy();

}  // namespace gp
