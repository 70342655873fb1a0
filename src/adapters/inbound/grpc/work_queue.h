#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace gp {

// A few threads that do short work for threads which must not.  Any thread may add work.
class WorkQueue {
 public:
  explicit WorkQueue(int threads);
  // Drops what has not begun.
  ~WorkQueue();

  void Add(std::function<void()> work);

 private:
  void Run();

  std::mutex mutex_;
  std::condition_variable filled_;
  std::deque<std::function<void()>> work_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace gp
