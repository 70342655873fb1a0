#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "application/agent/agent_loop.h"
#include "base/time.h"
#include "ports/outbound/clock.h"

namespace gp {

// Removes the output of jobs that ended long ago, on its own thread: a large directory delays no
// other work.
class LogKeeper {
 public:
  // All references outlive it.  `keep`: elapsed time after the last byte; 0: nothing is removed.
  LogKeeper(std::string state_directory, Duration keep, const AgentLoop& loop, Clock& clock);
  ~LogKeeper();

 private:
  void Run();

  const std::string state_directory_;
  const Duration keep_;
  const AgentLoop& loop_;
  Clock& clock_;
  std::mutex mutex_;
  std::condition_variable ends_;
  bool is_ending_ = false;
  std::thread thread_;
};

}  // namespace gp
