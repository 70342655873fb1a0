#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "adapters/wire/event_line.h"
#include "ports/inbound/control_gateway.h"
#include "ports/outbound/clock.h"

namespace gp {

// Writes committed events to a log, one line each.  The writer's thread only puts lines into a
// queue, and an own thread writes them.  If the log's reader is too slow, lines are dropped and the
// log says so; the writer's thread never waits.
class EventLog : public CommitObserver {
 public:
  // Writes to `file`; this descriptor and the clock must outlive the object.
  EventLog(int file, LogFormat format, Clock& clock, size_t waiting_max = 10'000);
  // Writes what is queued, as far as the reader accepts it within two seconds.
  ~EventLog() override;

  void OnCommit(const State& state, const CommittedRecords& committed) override;

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
  int64_t lost_ = 0;  // after the last queued line
  // Lines that are not written by then are dropped
  std::optional<std::chrono::steady_clock::time_point> ends_at_;
  std::thread thread_;
};

}  // namespace gp
