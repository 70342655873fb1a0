#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace gp {

// Notices that a call does not end though its time is over.  gRPC measures its time limits by the
// wall clock: after that has been set back, none of them passes until it has caught up.  Time is
// measured by the steady clock here.  It has a thread, unless nobody is to be notified.
class CallWatch {
 public:
  using Clock = std::chrono::steady_clock;
  // `stuck`: called once, on its thread, when a call has taken longer than `most`; may be empty.
  CallWatch(std::chrono::milliseconds most, std::function<void()> stuck);
  ~CallWatch();

  // One call, while it lives.  Any thread.
  class Call {
   public:
    explicit Call(CallWatch& watch) : watch_(watch), number_(watch.Begin()) {}
    ~Call() { watch_.End(number_); }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    CallWatch& watch_;
    const uint64_t number_;
  };

 private:
  uint64_t Begin();
  void End(uint64_t number);
  void Run();

  const std::chrono::milliseconds most_;
  const std::function<void()> stuck_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<uint64_t, Clock::time_point> begun_;  // the calls under way, the oldest first
  uint64_t last_ = 0;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gp
