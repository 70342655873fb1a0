#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

#include "application/replication/lead/leader_key.h"

namespace gp {

// Keeps the lease of a leader's key, a few times in each of its terms.  It has a thread.
class LeadKeeper {
 public:
  // `deposed`: called once, on its thread, when the lease has ended.  The key outlives it.
  LeadKeeper(LeaderKey& key, std::function<void()> deposed);
  ~LeadKeeper();

 private:
  void Run();

  LeaderKey& key_;
  const std::function<void()> deposed_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool ends_ = false;
  std::thread thread_;
};

}  // namespace gp
