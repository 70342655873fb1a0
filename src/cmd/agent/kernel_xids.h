#pragma once

// The kernel log's XIDs in the agent's terms: which GPU of the node, which lease.

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "adapters/outbound/kernel_log/kernel_log.h"
#include "domain/node/fault_signals.h"

namespace gp {

// Whether two spellings name one device: 0000:1B:00 in the log, 00000000:1B:00.0 in NVML.
bool IsSameBus(const std::string& a, const std::string& b);

// The lease whose cgroup the process runs in; 0: in none, or it is gone.
LeaseId LeaseOfProcess(int pid);

// `bus_ids`: by position in the node. XIDs of other GPUs are left out. `lease_in`: the lease of a
// MIG instance.
std::vector<SeenXid> TakeKernelXids(KernelLog& log, const std::vector<std::string>& bus_ids,
                                    const std::function<LeaseId(int gpu, int instance)>& lease_in);

}  // namespace gp
