#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>

#include "ports/inbound/control_gateway.h"

namespace gp {

// Wakes the watchers of a job after each durable change of it.  Any thread.
class JobFeed : public CommitObserver {
 public:
  // One watcher: counts the changes of its job.  One thread waits.
  class Watch {
   public:
    // Waits for a new change.  False: none came within `timeout`.
    bool Next(Duration timeout);

   private:
    friend class JobFeed;
    std::mutex mutex_;
    std::condition_variable changed_;
    uint64_t changes_ = 0;
    uint64_t seen_ = 0;
  };

  std::shared_ptr<Watch> Follow(JobId job);
  void OnCommit(const State& state, const CommittedRecords& committed) override;

 private:
  std::mutex mutex_;
  std::multimap<JobId, std::weak_ptr<Watch>> watches_;
  size_t sweep_at_ = 64;  // at this size, expired watches are removed
};

// The jobs that the events concern.
std::set<JobId> JobsOf(const State& state, const std::vector<Event>& events);

}  // namespace gp
