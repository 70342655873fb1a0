#pragma once

// Confines attempts on this host: which devices they may open, on which CPUs they run, how much
// memory and how many processes they may have.  Create makes the cgroups (control groups, the
// kernel's named sets of processes) of one attempt; whoever starts the attempt puts its processes
// inside before any code of the user runs.  What was created outlives this object and the process.

#include <cstdint>
#include <string>
#include <vector>

#include "base/cpu_set.h"
#include "base/result.h"
#include "ports/outbound/attempt_runner.h"

namespace gp {

struct IsolationRequest {
  std::vector<DeviceNumber> devices;  // besides null, zero, full, random, urandom, tty, ptmx, pts
  CpuSet cpus;                        // empty: no restriction
  CpuSet memory_nodes;                // empty: no restriction
  int64_t memory_bytes_max = 0;       // 0: no limit
  int64_t processes_max = 0;          // 0: no limit
};

// Where the processes of one attempt belong.  All empty: this host gives no isolation.
struct CgroupPaths {
  std::string unified;              // version 2 directory: processes are cloned straight into it
  std::vector<std::string> joined;  // version 1 directories: joined before any user code
  std::string freezer;              // the one of `joined` that can stop all; empty: none
  std::string oom_events;           // file with a line "oom_kill N"; empty: unknown

  bool operator==(const CgroupPaths&) const = default;
};

// What this host can enforce, for `doctor` and the node's report.
struct IsolationReport {
  bool devices = false;
  bool memory = false;
  bool processes = false;
  bool cpus = false;
  bool kill_all = false;              // everything inside can be ended at once
  std::string device_mechanism;       // "cgroup v2 BPF", "cgroup v1 devices", "none"
  std::vector<std::string> warnings;  // one per thing that cannot be enforced, with the reason
};

class DeviceIsolation {
 public:
  virtual ~DeviceIsolation() = default;

  // Makes the cgroups of `key` with all their rules.  A limit that the host cannot enforce is left
  // out (Report says which).  Errors: kInvalidArgument (no such CPU), kUnsupported (no device
  // isolation on a host where it is required), kInternal.  Nothing is left behind after an error.
  virtual Result<CgroupPaths> Create(const std::string& key, const IsolationRequest& request) = 0;
  // Removes them once no process is left inside; removed before is fine.  Empty paths: whatever
  // carries this key.  Errors: kConflict (still in use).
  virtual Status Remove(const std::string& key, const CgroupPaths& paths) = 0;
  virtual const IsolationReport& Report() const = 0;
  // What the processes inside have used since Create, those that are gone too.
  virtual HostUse UsedIn(const CgroupPaths& paths) const {
    return static_cast<void>(paths), HostUse{};
  }
};

}  // namespace gp
