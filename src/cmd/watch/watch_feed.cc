#include "cmd/watch/watch_feed.h"

#include <algorithm>
#include <chrono>

#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr int kJobsMax = 2'000;
constexpr Duration kRetryMax = Duration::Seconds(5);

int64_t NowNs() { return SystemClock().BootNs(); }

}  // namespace

Result<WatchData> FetchWatchData(WatchLine& line) {
  GP_CHECK_OK(line.Connect());
  v1::GetClusterRequest cluster_request;
  cluster_request.set_readings(true);
  v1::ListJobsRequest jobs_request;
  jobs_request.set_limit(kJobsMax);
  WatchData data;
  data.cluster = GP_TRY(line.Call(&v1::Control::Stub::GetCluster, cluster_request));
  const auto reply = GP_TRY(line.Call(&v1::Control::Stub::ListJobs, jobs_request));
  data.jobs.assign(reply.jobs().begin(), reply.jobs().end());
  return data;
}

WatchFeed::WatchFeed(std::string place, Duration interval)
    : line_(std::move(place)), interval_(interval), thread_([this] { Run(); }) {}

WatchFeed::~WatchFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  line_.Cancel();
  stop_.notify_all();
  thread_.join();
}

void WatchFeed::Hurry() {
  {
    const std::lock_guard lock(mutex_);
    hurries_ = true;
  }
  stop_.notify_all();
}

void WatchFeed::Run() {
  Duration wait = interval_;
  while (true) {
    const int64_t began_ns = NowNs();
    Result<WatchData> fetched = FetchWatchData(line_);
    std::unique_lock lock(mutex_);
    if (fetched) {
      data_ = std::make_shared<const WatchData>(*std::move(fetched));
      heard_ns_ = NowNs();
      trouble_.clear();
      wait = interval_;
    } else {
      wait = trouble_.empty() ? interval_ : std::min(wait * 2, std::max(kRetryMax, interval_));
      trouble_ = fetched.error().message;
    }
    // From the beginning of one fetch to the next, as far as it can be kept.
    retry_at_ns_ = std::max(began_ns + wait.ns, NowNs());
    ++version_;
    const auto rest = std::chrono::nanoseconds(retry_at_ns_ - NowNs());
    stop_.wait_for(lock, rest, [this] { return stopping_ || hurries_; });
    if (stopping_) return;
    hurries_ = false;
  }
}

WatchState WatchFeed::State() const {
  const std::lock_guard lock(mutex_);
  const int64_t now = NowNs();
  return {data_, static_cast<double>(now - heard_ns_) / 1e9, trouble_,
          static_cast<double>(std::max<int64_t>(retry_at_ns_ - now, 0)) / 1e9};
}

}  // namespace gp
