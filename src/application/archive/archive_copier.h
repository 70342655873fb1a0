#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "application/archive/archiver.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/operator_log.h"

namespace gp {

// Lets an archiver take its turns, in a thread of its own.
class ArchiveCopier {
 public:
  struct Times {
    Duration every = Duration::Milliseconds(500);  // from one turn to the next
    Duration pause_max = Duration::Seconds(30);    // after errors
    Duration last_max = Duration::Seconds(5);      // for the last turn
  };
  struct Then {
    std::function<void()> on_claimed;  // by the thread, when the archive was restored elsewhere
    std::function<void()> give_up;     // ends a turn that takes too long
  };
  // All outlive it.
  ArchiveCopier(Archiver& archiver, Clock& clock, OperatorLog& log, Times times, Then then);
  ~ArchiveCopier();
  // Takes a last turn, if that is possible soon.  False: its thread hangs, and it cannot be
  // destroyed.
  bool End();

 private:
  void Run();
  bool Turn();
  void Hear(const std::string& now);

  Archiver& archiver_;
  Clock& clock_;
  OperatorLog& log_;
  const Times times_;
  const Then then_;
  std::string trouble_;  // the newest that was logged; empty: the last turn went well
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace gp
