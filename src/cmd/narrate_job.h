#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "cmd/cli.h"

namespace gp {

// Says on standard error, while it lives, why a job that somebody waits for does not run yet, each
// time that the reason changes, and on which nodes it has started then.  A job that starts within
// two seconds needs no words, but where its placement has a warning.
class JobNarrator {
 public:
  JobNarrator(const Cli& cli, std::string job);
  ~JobNarrator();
  JobNarrator(const JobNarrator&) = delete;
  JobNarrator& operator=(const JobNarrator&) = delete;

 private:
  void Narrate();
  // True: it is over with the waiting.
  bool Wait(std::chrono::milliseconds pause);

  const Cli& cli_;
  const std::string job_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::thread thread_;  // none with --quiet
};

}  // namespace gp
