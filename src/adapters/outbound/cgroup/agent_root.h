#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// The cgroup below which an agent creates the cgroups of its attempts, in each hierarchy.  The
// agent holds a lock on it.  The kernel releases the lock when the process ends, so the next agent
// recognises and removes what a killed agent left.
class AgentRoot {
 public:
  // Creates it if absent.  Errors: kInternal.
  static Result<AgentRoot> Hold(const std::string& path);

  const std::string& path() const { return path_; }
  // Removes it if it has no cgroups inside and no other agent holds it.  Releases the lock.
  void RemoveIfUnused();

 private:
  std::string path_;
  Descriptor lock_;
};

// Whether this is a name that agents, and probes of them, give to their root.
bool IsAgentRootName(const std::string& name);
// Roots in a directory that no agent holds and that contain no process, sorted; the second function
// searches the whole tree below `top`.
std::vector<std::string> AbandonedRootsIn(const std::string& parent);
std::vector<std::string> AbandonedRootsBelow(const std::string& top);
// Removes a root with all cgroups in it, unless it is in use again.
void RemoveAbandonedRoot(const std::string& path);

}  // namespace gp
