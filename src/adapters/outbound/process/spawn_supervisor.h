#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace gp {

struct SupervisorStart {
  std::string program;
  std::string key;
  int agent_fd = -1;      // its end of the conversation
  int directory_fd = -1;  // of the attempt
  int lock_fd = -1;       // the locked launch file
  bool bury = false;      // only to end what a dead supervisor left
};

// Starts it detached: session and signals of its own, nothing inherited but the three descriptors.
// Never copies this process (a large agent could not fork fast).  The caller reaps the pid.
Result<pid_t> SpawnSupervisor(const SupervisorStart& start);

}  // namespace gp
