#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cmd/cli.h"

namespace gp {

// While it lives, prints to standard error why a job that somebody waits for does not run yet, each
// time that the reason changes, and then the nodes on which it has started. Prints nothing for a
// job that starts within two seconds, unless its placement has a warning.
class JobNarrator {
 public:
  JobNarrator(const Cli& cli, std::string job);
  ~JobNarrator();
  JobNarrator(const JobNarrator&) = delete;
  JobNarrator& operator=(const JobNarrator&) = delete;

 private:
  void Narrate();
  // True: it no longer waits.
  bool Wait(std::chrono::milliseconds pause);

  const Cli& cli_;
  const std::string job_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;  // none with --quiet
};

}  // namespace gp
