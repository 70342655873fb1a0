#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace gp {

// The cgroups of this process: one version 2 tree, version 1 trees per controller, or both side by
// side.  Parsed from /proc/self/mountinfo and /proc/self/cgroup.
struct CgroupHierarchy {
  // Directory of this process's cgroup; empty: no version 2
  std::string unified;
  bool unified_is_root = false;               // the kernel's root cgroup: special rules apply
  std::map<std::string, std::string> legacy;  // controller -> directory of this process's cgroup
};

// Never fails: lines that it cannot parse are ignored.
CgroupHierarchy ParseHierarchy(std::string_view mountinfo, std::string_view self_cgroup);
Result<CgroupHierarchy> ReadHierarchy();

// Below its own cgroup, the one for an agent alone: see UnifiedTree.
inline constexpr std::string_view kAgentLeaf = "/agent";

// The version 2 cgroup in which an agent makes its root, given the directory of its own cgroup.
// That is its own, or for a service of systemd the slice around it: the kernel lets no process into
// a cgroup that hands controllers down, so below the service the jobs would keep systemd before 254
// from starting it again.
std::string ParentOfAgentRoot(std::string own);

}  // namespace gp
