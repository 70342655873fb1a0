#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "adapters/outbound/cgroup/agent_root.h"
#include "base/cpu_set.h"
#include "base/result.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

// The version 1 side: <own cgroup>/<name>/<key> in the tree of each controller that a request
// needs.  Used for what version 2 does not offer on this host.
class LegacyTree {
 public:
  // `own` maps controllers to the directory of this process's cgroup.  Creates a base for each; one
  // that cannot be created is left out, with an entry in `warnings`.
  static LegacyTree Prepare(const std::map<std::string, std::string>& own, const std::string& name,
                            std::vector<std::string>& warnings);

  // Removes the bases without cgroups inside; nothing can be created below them afterwards.
  void RemoveUnused();

  bool Has(const std::string& controller) const { return bases_.contains(controller); }
  const std::map<std::string, std::string>& bases() const { return bases_; }

  // Creates the cgroups for the requested limits, and the freezer if requested.
  Status Make(const std::string& key, const IsolationRequest& request, CgroupPaths& paths) const;
  // Denies all devices except the standard ones and these.
  Status MakeDevices(const std::string& key, std::span<const DeviceNumber> devices,
                     CgroupPaths& paths) const;
  Status MakeFreezer(const std::string& key, CgroupPaths& paths) const;
  // A cgroup in which the kernel counts CPU time, for a host without version 2.
  Status MakeCounter(const std::string& key, CgroupPaths& paths) const;

 private:
  // The CPUs and memory nodes of a cgroup.
  struct Cpuset {
    CpuSet cpus;
    CpuSet mems;
  };

  static Result<Cpuset> ReadCpuset(const std::string& path);
  static Status WriteCpuset(const std::string& path, const Cpuset& set);
  Status MakeBase(const std::string& own, const std::string& controller, const std::string& name);
  Result<std::string> Join(const std::string& controller, const std::string& key,
                           CgroupPaths& paths) const;
  Status MakeCpuset(const std::string& key, const IsolationRequest& request,
                    CgroupPaths& paths) const;
  std::map<std::string, std::string> bases_;
  Cpuset own_;  // that of this process, with which the base was made
  std::vector<AgentRoot> roots_;
};

}  // namespace gp
