#pragma once

// Tells a log of what is committed, a line each.  The writer's thread only puts lines in a queue; a
// reader of the log that does not read makes the log lose lines, and say so, and nobody wait.

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "adapters/outbound/event_log/event_line.h"
#include "ports/inbound/control_gateway.h"
#include "ports/outbound/clock.h"

namespace gp {

class EventLog : public CommitObserver {
 public:
  // Writes to `file`, a descriptor that stays open as long as this lives; so does the clock.
  EventLog(int file, LogFormat format, Clock& clock, size_t waiting_max = 10'000);
  // All that was told and kept is written, as far as the reader takes it within two seconds.
  ~EventLog() override;

  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  void Run();
  std::string NextLine(std::unique_lock<std::mutex>& lock);
  bool Write(const std::string& line);
  bool IsTooLate();
  std::string TakeLoss();

  const int file_;
  const LogFormat format_;
  Clock& clock_;
  const size_t waiting_max_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<std::string> waiting_;
  int64_t lost_ = 0;  // behind the last line that waits
  // What is not written by then is not
  std::optional<std::chrono::steady_clock::time_point> ends_at_;
  std::thread thread_;
};

}  // namespace gp
