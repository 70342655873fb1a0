#pragma once

// Wakes those who watch a job after each durable change of it.

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "ports/inbound/control_gateway.h"

namespace gp {

class JobFeed : public CommitObserver {
 public:
  // One watcher's view: counts the changes of its job.
  class Watch {
   public:
    // Waits for a change that was not yet seen, at most so long.  True: there was one.
    bool Next(Duration timeout);

   private:
    friend class JobFeed;
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t changes_ = 0;
    uint64_t seen_ = 0;
  };

  std::shared_ptr<Watch> Follow(JobId job);
  void OnCommit(const State& state, const std::vector<Event>& events) override;

 private:
  std::mutex mutex_;
  std::multimap<JobId, std::weak_ptr<Watch>> watches_;
  size_t sweep_at_ = 64;  // with so many of them those that nobody has any more are taken out
};

// The jobs that events speak of.
std::set<JobId> JobsOf(const State& state, const std::vector<Event>& events);

}  // namespace gp
