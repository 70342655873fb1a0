#pragma once

// Runs independent pieces of work in a few threads, and the caller's tick meanwhile.

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "base/result.h"

namespace gp {

struct ParallelWork {
  size_t count = 0;
  size_t threads_max = 1;
  std::function<Status(size_t index)> run;
  std::function<void()> on_tick;     // by the calling thread, at most once a second
  std::function<void()> on_failure;  // after the first error: ends what still runs
};

// Begins nothing after the first error, which it returns when all threads have ended.
inline Status RunParallel(const ParallelWork& work) {
  std::mutex mutex;
  std::condition_variable ended;
  size_t next = 0;
  size_t running = std::min(work.threads_max, work.count);
  Status first = Ok();
  const auto work_on = [&] {
    std::unique_lock lock(mutex);
    while (first && next < work.count) {
      const size_t index = next++;
      lock.unlock();
      Status done = work.run(index);
      lock.lock();
      if (done || !first) continue;
      first = std::move(done);
      work.on_failure();
    }
    --running;
    ended.notify_all();
  };
  std::vector<std::thread> threads;
  for (size_t left = running; left > 0; --left) threads.emplace_back(work_on);
  std::unique_lock lock(mutex);
  while (!ended.wait_for(lock, std::chrono::seconds(1), [&] { return running == 0; })) {
    lock.unlock();
    work.on_tick();
    lock.lock();
  }
  lock.unlock();
  for (std::thread& thread : threads) thread.join();
  return first;
}

}  // namespace gp
