#pragma once

// The supervisor's hold on the attempt's cgroups.  Opened before the private mounts make the
// cgroup file system read-only; whoever forks the job clones into unified() and lets the child
// call JoinLegacy.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "ports/outbound/device_isolation.h"
#include "supervisor/descriptor.h"

namespace gp {

class JobCgroups {
 public:
  static Result<JobCgroups> Open(const CgroupPaths& paths);

  // The version 2 directory for CLONE_INTO_CGROUP; -1: none.
  int unified() const { return unified_.get(); }
  // Moves the calling (single-threaded) process into every version 1 cgroup.  The name of the one
  // that failed, with errno set; empty: done.
  std::string JoinLegacy() const;
  // SIGKILL for everything inside.  With version 2 nothing escapes; with version 1 alone all are
  // frozen first, and the caller calls again until nothing is left.
  void KillAll() const;
  // A cgroup exists that tells who is inside.
  bool CanKill() const { return unified_.valid() || freezer_.valid(); }
  bool IsEmpty() const;
  // Everything inside; nullopt: no cgroup tells.
  std::optional<std::vector<pid_t>> Members() const;
  // How many processes the kernel killed for memory.
  int64_t OomKills() const;

 private:
  std::vector<std::string> names_;  // of legacy_
  std::vector<Descriptor> legacy_;
  Descriptor unified_;
  Descriptor freezer_;
  Descriptor oom_events_;
};

}  // namespace gp
