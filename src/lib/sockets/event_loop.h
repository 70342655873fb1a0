#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "files/descriptor.h"

namespace gp {

// What an event loop calls when a descriptor is ready.
class Watched {
 public:
  virtual ~Watched() = default;
  // `events`: as epoll reports them.  It may be called once without one, after the number of its
  // descriptor was another's.
  virtual void OnReady(uint32_t events) = 0;
  // Called about once a second.
  virtual void OnSecond() {}
  // The loop ends, and will call no more.
  virtual void OnEnd() {}
};

// Waits for many descriptors on one thread (epoll, level-triggered) and runs what other threads
// post.  The loop's thread makes all calls but Post and Stop.
class EventLoop {
 public:
  EventLoop();

  // `events`: of epoll; errors and hang-ups always count.  Errors: kUnavailable (no memory is
  // left).
  Status Watch(int descriptor, uint32_t events, std::shared_ptr<Watched> watched);
  void Change(int descriptor, uint32_t events);
  // To be called before the descriptor is closed.
  void Forget(int descriptor);

  // Runs `work` on the loop's thread.  False: the loop has ended, and it will not run.  Any thread.
  bool Post(std::function<void()> work);
  // Runs until Stop, then what was posted until then.  Called once.
  void Run();
  void Stop();  // any thread

  // `caught_up` is called four times a second, if all that had come until then was handled.  Set
  // before Run.
  void WhenCaughtUp(std::function<void()> caught_up) { caught_up_ = std::move(caught_up); }
  // Something that has come is left for a later event.
  void StayBehind() { is_behind_ = true; }

 private:
  using Clock = std::chrono::steady_clock;

  void RunPosted();
  // Handles what is ready, or becomes so until then.
  void Round(Clock::time_point until);
  void EverySecond();
  void End();

  const Descriptor epoll_;
  const Descriptor wake_;
  std::unordered_map<int, std::shared_ptr<Watched>> all_;  // by descriptor
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
  bool has_ended_ = false;
  // The loop's thread's
  std::function<void()> caught_up_ = [] {};
  bool is_behind_ = false;
  bool stops_ = false;
};

}  // namespace gp
