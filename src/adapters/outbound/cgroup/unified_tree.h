#pragma once

#include <string>
#include <vector>

#include "adapters/outbound/cgroup/agent_root.h"
#include "base/result.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

// The version 2 side: <parent>/<name>/<key> (ParentOfAgentRoot), with the controllers that this
// process may delegate.  On a host with only version 2, a cgroup that delegates controllers must
// hold no processes; if the parent is its own cgroup, this process first moves itself into the leaf
// <own cgroup>/agent.
class UnifiedTree {
 public:
  // `own` is the directory of this process's cgroup; only the kernel's root may both hold processes
  // and delegate controllers.  Controllers that cannot be enabled are named in `warnings`.
  // Errors: the base cannot be created at all.
  static Result<UnifiedTree> Prepare(const std::string& own, bool is_root, const std::string& name,
                                     std::vector<std::string>& warnings);

  // Removes the base if no cgroup is inside; nothing can be created below it afterwards.
  void RemoveUnused() { root_.RemoveIfUnused(); }

  bool Has(const std::string& controller) const;
  const std::string& base() const { return root_.path(); }
  std::string PathOf(const std::string& key) const { return base() + "/" + key; }

  // Creates the cgroup and sets the limits whose controllers are available; fills in `paths`.
  Status Make(const std::string& key, const IsolationRequest& request, CgroupPaths& paths) const;

 private:
  void EnableControllers(const std::string& parent, std::vector<std::string>& warnings);

  AgentRoot root_;
  std::vector<std::string> controllers_;
};

}  // namespace gp
