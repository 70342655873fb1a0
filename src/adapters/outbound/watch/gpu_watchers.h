#pragma once

// GpuWatch with one process for each GPU: a driver call that never returns holds up that process
// alone, which is killed and begun again.  Each tells readings and XIDs through a pipe
// (watch_frame.h); what is of another GPU than the one that it was begun for is dropped, and such a
// watcher is begun again too.

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

class GpuWatchers : public GpuWatch {
 public:
  struct Options {
    std::vector<std::string> command;  // of a watcher; the GPU's UUID is added
    std::vector<std::string> uuids;    // by position
    // A watcher that says nothing for so long is killed
    Duration silence_max = Duration::Seconds(5);
    Duration begin_again = Duration::Seconds(1);  // after its end
  };

  GpuWatchers(Options options, Clock& clock);
  ~GpuWatchers() override;

  std::vector<GpuReading> Latest() override;
  std::vector<XidSighting> TakeXids() override;
  int EventDescriptor() const override { return event_fd_; }

  // Until each GPU was read once, or for so long: a node is not to be seen with the GPUs alone that
  // answered first.
  void AwaitFirst(Duration at_most);
  // Nobody holds the GPU open between the two: a reset wants it for itself.
  void Pause(int gpu);
  // Waits until the GPU is watched again: a fault in between would be told by counters alone,
  // seconds later.  False: its watcher said nothing for as long as a call to the driver may take.
  bool Resume(int gpu);

 private:
  struct Watcher {
    int position = 0;
    pid_t pid = 0;  // 0: does not run
    int pipe = -1;
    std::string bytes;  // of a frame that is not whole yet
    int64_t heard_ns = 0;
    bool has_reported = false;  // since it was begun
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
