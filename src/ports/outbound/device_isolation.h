#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

// Devices and limits of one attempt.
struct IsolationRequest {
  std::vector<DeviceNumber> devices;  // besides null, zero, full, random, urandom, tty, ptmx, pts
  CpuSet cpus;                        // empty: no restriction
  CpuSet memory_nodes;                // empty: no restriction
  int64_t memory_bytes_max = 0;       // 0: no limit
  int64_t processes_max = 0;          // 0: no limit
};

// The cgroups of one attempt.  All empty: this host provides no isolation.
struct CgroupPaths {
  std::string unified;              // version 2 directory: processes are cloned straight into it
  std::vector<std::string> joined;  // version 1 directories: joined before any user code runs
  std::string freezer;              // the one of `joined` that can freeze all; empty: none
  std::string oom_events;           // file with a line "oom_kill N"; empty: unknown

  bool operator==(const CgroupPaths&) const = default;
};

// What this host can enforce, for `doctor` and the node's report.
struct IsolationReport {
  bool devices = false;
  bool memory = false;
  bool processes = false;
  bool cpus = false;
  bool kill_all = false;              // all processes inside can be killed at once
  std::string device_mechanism;       // "cgroup v2 BPF", "cgroup v1 devices", "none"
  std::vector<std::string> warnings;  // one per thing that cannot be enforced, with the reason
};

// Confines attempts on this host: the devices that they may open, their CPUs, their memory and the
// number of their processes.  Create makes the cgroups of one attempt; the caller puts its
// processes inside before any code of the user runs.  The cgroups outlive this object and the
// agent's process.
class DeviceIsolation {
 public:
  virtual ~DeviceIsolation() = default;

  // Makes the cgroups of `key` with all their rules.  Leaves out limits that the host cannot
  // enforce (Report names them).  Errors: kInvalidArgument (no such CPU), kUnsupported (no device
  // isolation on a host where it is required), kInternal.  An error leaves nothing behind.
  virtual Result<CgroupPaths> Create(const std::string& key, const IsolationRequest& request) = 0;
  // Removes the cgroups once no process is left inside; does nothing if they are gone.  Empty
  // paths: all cgroups with this key.  Errors: kConflict (still in use).
  virtual Status Remove(const std::string& key, const CgroupPaths& paths) = 0;
  virtual const IsolationReport& Report() const = 0;
  // Use by the processes inside since Create, ended ones included.
  virtual HostUse UsedIn(const CgroupPaths& paths) const {
    return static_cast<void>(paths), HostUse{};
  }
};

}  // namespace gp
