#pragma once

// The cgroup below which an agent makes those of its attempts, in each hierarchy.  It is locked
// while the agent lives: the kernel ends the lock with the process, so that what a killed agent
// left is known as such and removed by the next one.

#include <string>
#include <vector>

#include "base/result.h"
#include "supervisor/descriptor.h"

namespace gp {

class AgentRoot {
 public:
  // Makes it where it is absent.  Errors: kInternal.
  static Result<AgentRoot> Hold(const std::string& path);

  const std::string& path() const { return path_; }
  // Only without cgroups inside, and while no other agent holds it.  It is held no more then.
  void RemoveIfUnused();

 private:
  std::string path_;
  Descriptor lock_;
};

// By its name, as agents and probes of them name theirs.
bool IsAgentRootName(const std::string& name);
// Those in a directory that no agent holds and no process is in, sorted; also far below it.
std::vector<std::string> AbandonedRootsIn(const std::string& parent);
std::vector<std::string> AbandonedRootsBelow(const std::string& top);
// Removes one with all cgroups in it, unless it is in use meanwhile.
void RemoveAbandonedRoot(const std::string& path);

}  // namespace gp
