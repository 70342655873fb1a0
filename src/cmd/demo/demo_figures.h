#pragma once

// What the demo measures: discovery in its own process, the rest from its jobs.

#include <string>
#include <vector>

#include "cmd/demo/demo_jobs.h"

namespace gp {

struct DemoDiscovery {
  bool real = false;  // this machine's own GPUs
  int gpus = 0;
  double ms = 0;
  std::string why_not;  // why the GPUs are not real
};

// What an agent does first: load the driver, read host and GPUs. Simulates `machine` if this
// machine has no GPU or if `simulate` is true.
Result<DemoDiscovery> TimeDiscovery(const std::string& nvml, bool simulate,
                                    const std::string& machine);

// One line each, in milliseconds.
std::vector<std::string> DemoFigures(const DemoDiscovery& discovery,
                                     const std::vector<DemoJob>& jobs);

double MillisecondsSince(int64_t begin_boot_ns);

}  // namespace gp
