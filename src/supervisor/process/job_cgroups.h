#pragma once

// The supervisor's open descriptors of the attempt's cgroups.  They are opened before the private
// mounts make the cgroup file system read-only.  A process of the job is cloned into unified(), and
// then calls JoinLegacy.

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"
#include "ports/outbound/device_isolation.h"

namespace gp {

class JobCgroups {
 public:
  static Result<JobCgroups> Open(const CgroupPaths& paths);

  // The version 2 directory for CLONE_INTO_CGROUP; -1: none.
  int unified() const { return unified_.get(); }
  // Moves the calling (single-threaded) process into every version 1 cgroup.  Returns empty on
  // success, else the name of the cgroup that failed, with errno set.
  std::string JoinLegacy() const;
  // Sends SIGKILL to all processes inside.  With version 2 none escapes; with version 1 alone they
  // are frozen first, and the caller repeats the call until none is left.
  void KillAll() const;
  // Whether a cgroup exists that lists its processes.
  bool CanKill() const { return unified_.valid() || freezer_.valid(); }
  bool IsEmpty() const;
  // All processes inside; nullopt: no cgroup lists them.
  std::optional<std::vector<pid_t>> Members() const;
  // Number of processes that the kernel killed for memory.
  int64_t OomKills() const;

 private:
  std::vector<std::string> names_;  // of legacy_
  std::vector<Descriptor> legacy_;
  Descriptor unified_;
  Descriptor freezer_;
  Descriptor oom_events_;
};

}  // namespace gp
