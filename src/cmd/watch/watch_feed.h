#pragma once

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"
#include "base/time.h"
#include "cmd/watch/watch_line.h"
#include "cmd/watch/watch_views.h"

namespace gp {

struct WatchState {
  std::shared_ptr<const WatchData> data;  // null: no data yet
  double age_seconds = 0;                 // of data
  std::string trouble;                    // empty: the controller answers
  double retry_seconds = 0;               // until the next try
};

// One answer, fetched now.
Result<WatchData> FetchWatchData(WatchLine& line);

// Fetches the cluster in a thread of its own, so that the screen never waits for the controller. If
// the controller does not answer, it retries at growing intervals and keeps the last data.
class WatchFeed {
 public:
  WatchFeed(std::string place, Duration interval);
  ~WatchFeed();

  WatchState State() const;
  // Grows with every change of State but for the passing of time.
  int version() const { return version_; }
  // Fetches now, because something was changed.
  void Hurry();

 private:
  void Run();

  WatchLine line_;
  const Duration interval_;
  mutable std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  bool hurries_ = false;
  std::shared_ptr<const WatchData> data_;
  int64_t heard_ns_ = 0;
  std::string trouble_;
  int64_t retry_at_ns_ = 0;
  std::atomic<int> version_ = 0;
  std::thread thread_;
};

}  // namespace gp
