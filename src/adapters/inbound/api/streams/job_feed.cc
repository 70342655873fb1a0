#include "adapters/inbound/api/streams/job_feed.h"

#include <algorithm>
#include <chrono>

namespace gp {

bool JobFeed::Watch::Next(Duration timeout) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, std::chrono::nanoseconds(timeout.ns),
                    [this] { return changes_ != seen_; });
  const bool changed = changes_ != seen_;
  seen_ = changes_;
  return changed;
}

std::shared_ptr<JobFeed::Watch> JobFeed::Follow(JobId job) {
  auto watch = std::make_shared<Watch>();
  const std::lock_guard lock(mutex_);
  if (watches_.size() >= sweep_at_) {
    std::erase_if(watches_, [](const auto& one) { return one.second.expired(); });
    sweep_at_ = std::max<size_t>(64, watches_.size() * 2);
  }
  watches_.emplace(job, watch);
  return watch;
}

void JobFeed::OnCommit(const State& state, const CommittedRecords& committed) {
  const std::lock_guard lock(mutex_);
  if (watches_.empty()) return;
  for (const JobId job : JobsOf(state, committed.events)) {
    auto [begin, end] = watches_.equal_range(job);
    while (begin != end) {
      const auto watch = begin->second.lock();
      if (watch == nullptr) {
        begin = watches_.erase(begin);
        continue;
      }
      {
        const std::lock_guard watch_lock(watch->mutex_);
        ++watch->changes_;
      }
      watch->changed_.notify_all();
      ++begin;
    }
  }
}

std::set<JobId> JobsOf(const State& state, const std::vector<Event>& events) {
  std::set<JobId> jobs;
  for (const Event& event : events) {
    std::visit(
        [&](const auto& e) {
          if constexpr (requires { e.job; }) {
            jobs.insert(e.job);
          } else if constexpr (requires { e.lease; }) {
            if (const Lease* lease = state.FindLease(e.lease)) jobs.insert(lease->job);
          }
        },
        event);
  }
  return jobs;
}

}  // namespace gp
