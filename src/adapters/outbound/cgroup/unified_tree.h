#pragma once

// The version 2 side: <our own cgroup>/<name>/<key>, with the controllers that are ours to give.
// On a host with nothing but version 2 a cgroup that hands out controllers may hold no processes;
// then this process first moves itself into the leaf <our own cgroup>/agent.

#include <string>
#include <vector>

#include "adapters/outbound/cgroup/agent_root.h"
#include "base/result.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

class UnifiedTree {
 public:
  // `own` is the directory of our cgroup; only the kernel's root may hold processes and hand out
  // controllers.  Controllers that cannot be enabled are named in `warnings`.
  // Errors: the base cannot be made at all.
  static Result<UnifiedTree> Prepare(const std::string& own, bool is_root, const std::string& name,
                                     std::vector<std::string>& warnings);

  // Removes the base if no cgroup is inside; nothing can be made below it any more.
  void RemoveUnused() { root_.RemoveIfUnused(); }

  bool Has(const std::string& controller) const;
  const std::string& base() const { return root_.path(); }
  std::string PathOf(const std::string& key) const { return base() + "/" + key; }

  // Makes the cgroup and sets the limits whose controllers are here; fills in `paths`.
  Status Make(const std::string& key, const IsolationRequest& request, CgroupPaths& paths) const;

 private:
  void EnableControllers(const std::string& own, std::vector<std::string>& warnings);

  AgentRoot root_;
  std::vector<std::string> controllers_;
};

}  // namespace gp
