#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/time.h"
#include "cmd/cli.h"

namespace gp {

// Ends the program with kExitTimeout a moment after its time is over, whatever call it waits in: a
// call asks for a controller for longer than that.  Who answers in time ends in the usual way.
class EndInTime {
 public:
  // nullopt: it never ends it.  `cli` outlives it.
  EndInTime(std::optional<Duration> time, const Cli& cli);
  ~EndInTime();

  // What its last words name.
  void WaitsFor(const std::string& job);
  // Of the time; 0: it is over; nullopt: there is none.
  std::optional<Duration> Left() const;
  // The program does not end before this is released: its output is whole.
  std::unique_lock<std::mutex> Hold() { return std::unique_lock(mutex_); }

 private:
  void Run();

  const std::optional<Duration> time_;
  const Cli& cli_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string job_;
  bool is_over_ = false;
  std::thread thread_;
};

}  // namespace gp
