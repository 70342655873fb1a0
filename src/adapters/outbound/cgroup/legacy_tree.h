#pragma once

// The version 1 side: <our own cgroup>/<name>/<key> in the tree of each controller that a request
// needs.  Used for what version 2 does not offer on this host.

#include <map>
#include <span>
#include <string>
#include <vector>

#include "adapters/outbound/cgroup/agent_root.h"
#include "base/result.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

class LegacyTree {
 public:
  // `own` maps controllers to the directory of our cgroup.  Bases are made for all of them; one
  // that cannot be made is named in `warnings` and left out.
  static LegacyTree Prepare(const std::map<std::string, std::string>& own, const std::string& name,
                            std::vector<std::string>& warnings);

  // Removes the bases without cgroups inside; nothing can be made below them any more.
  void RemoveUnused();

  bool Has(const std::string& controller) const { return bases_.contains(controller); }
  const std::map<std::string, std::string>& bases() const { return bases_; }

  // Makes the cgroups whose limits are asked for, and the freezer where one is wanted.
  Status Make(const std::string& key, const IsolationRequest& request, CgroupPaths& paths) const;
  // Deny all, allow the standard devices and these.
  Status MakeDevices(const std::string& key, std::span<const DeviceNumber> devices,
                     CgroupPaths& paths) const;
  Status MakeFreezer(const std::string& key, CgroupPaths& paths) const;
  // Where the kernel counts the time of cores, for a host without version 2.
  Status MakeCounter(const std::string& key, CgroupPaths& paths) const;

 private:
  Result<std::string> Join(const std::string& controller, const std::string& key,
                           CgroupPaths& paths) const;
  Status MakeCpuset(const std::string& key, const IsolationRequest& request,
                    CgroupPaths& paths) const;
  std::map<std::string, std::string> bases_;
  std::vector<AgentRoot> roots_;
};

}  // namespace gp
