#pragma once

// Reads the GPUs' health on a thread of its own: a driver call may hang for ever, the agent not.

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "ports/outbound/clock.h"
#include "ports/outbound/gpu_driver.h"

namespace gp {

struct HealthReading {
  std::vector<GpuHealth> gpus;  // empty: never read
  int64_t age_ns = 0;           // since the reading was complete
  std::string error;            // why the last one failed
};

class HealthPoller {
 public:
  HealthPoller(GpuDriver& driver, Clock& clock, Duration interval);
  ~HealthPoller();

  HealthReading Latest() const;

 private:
  void Run();

  GpuDriver& driver_;
  Clock& clock_;
  const Duration interval_;
  mutable std::mutex mutex_;
  std::condition_variable wake_;
  bool stopping_ = false;
  std::vector<GpuHealth> gpus_;
  int64_t read_at_ns_ = 0;
  std::string error_;
  std::thread thread_;
};

}  // namespace gp
