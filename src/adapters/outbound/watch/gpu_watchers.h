#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "adapters/outbound/watch/watch_frame.h"
#include "base/time.h"
#include "ports/outbound/clock.h"
#include "ports/outbound/gpu_watch.h"

namespace gp {

// GpuWatch with one process for each GPU.  A driver call that never returns blocks only that
// process, which is killed and restarted.  Each process sends readings and XIDs through a pipe
// (watch_frame.h).  A frame about another GPU than the process was started for is dropped, and that
// watcher is restarted too.  Any thread may call.
class GpuWatchers : public GpuWatch {
 public:
  struct Options {
    std::vector<std::string> command;  // of a watcher; the GPU's UUID is appended
    std::vector<std::string> uuids;    // by position
    // A watcher that sends nothing for this time is killed
    Duration silence_max = Duration::Seconds(5);
    Duration begin_again = Duration::Seconds(1);  // delay before a watcher that ended is restarted
  };

  GpuWatchers(Options options, Clock& clock);
  ~GpuWatchers() override;

  std::vector<GpuReading> Latest() override;
  std::vector<XidSighting> TakeXids() override;
  int EventDescriptor() const override { return event_fd_; }

  // Waits until each GPU was read once, at most `at_most`: a node must not appear with only those
  // GPUs that answered first.
  void AwaitFirst(Duration at_most);
  // Between Pause and Resume no watcher has the GPU open: a reset needs exclusive access.
  void Pause(int gpu);
  // Waits until the GPU is watched again.  Otherwise only counters would show a fault in between,
  // seconds later.  False: its watcher sent nothing for as long as a driver call may take.
  bool Resume(int gpu);

 private:
  struct Watcher {
    int position = 0;
    pid_t pid = 0;  // 0: not running
    int pipe = -1;
    std::string bytes;  // of an incomplete frame
    int64_t heard_ns = 0;
    bool has_reported = false;  // since it was started
    int64_t begin_at_ns = 0;
    bool is_paused = false;
    std::optional<GpuHealth> health;
    int64_t read_ns = 0;
    std::string error;
  };

  void Run();
  void Begin(size_t gpu);
  void End(Watcher& watcher, const std::string& why);
  void Receive(Watcher& watcher);
  bool IsOfItsGpu(const Watcher& watcher, const WatchFrame& frame) const;
  void Take(Watcher& watcher, WatchFrame frame);
  void TakeReading(Watcher& watcher, GpuHealth health);
  void LookAfter();
  void Wake(int descriptor) const;

  const Options options_;
  Clock& clock_;
  int event_fd_;
  int wake_fd_;
  std::condition_variable heard_;
  mutable std::mutex mutex_;  // guards all below
  std::vector<Watcher> watchers_;
  std::vector<XidSighting> xids_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace gp
