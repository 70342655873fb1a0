#include "cmd/watch/watch_feed.h"

#include <algorithm>
#include <chrono>

#include "adapters/wire/call_deadline.h"
#include "cmd/connection/controller_line.h"
#include "infrastructure/system_clock.h"

namespace gp {
namespace {

constexpr int kJobsMax = 2'000;
constexpr Duration kRetryMax = Duration::Seconds(5);

int64_t NowNs() { return SystemClock().BootNs(); }

}  // namespace

Result<WatchData> FetchWatchData(const std::string& place, grpc::ClientContext& jobs,
                                 grpc::ClientContext& cluster) {
  // The screen tells at once, and somebody may leave it.
  const auto client = GP_TRY(OpenController(place, ControlClient::WhenKilled::kFail));
  WatchData data;
  v1::GetClusterRequest cluster_request;
  cluster_request.set_readings(true);
  v1::Control::Stub* stub = GP_TRY(client->Streams(cluster));
  cluster.set_deadline(DeadlineIn(kCallTime));
  grpc::Status status = stub->GetCluster(&cluster, cluster_request, &data.cluster);
  if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
  v1::ListJobsRequest jobs_request;
  jobs_request.set_limit(kJobsMax);
  GP_TRY(client->Streams(jobs));
  jobs.set_deadline(DeadlineIn(kCallTime));
  v1::ListJobsReply reply;
  status = stub->ListJobs(&jobs, jobs_request, &reply);
  if (!status.ok()) return Fail(ControlClient::ErrorOf(status));
  data.jobs.assign(reply.jobs().begin(), reply.jobs().end());
  return data;
}

WatchFeed::WatchFeed(std::string place, Duration interval)
    : place_(std::move(place)), interval_(interval), thread_([this] { Run(); }) {}

WatchFeed::~WatchFeed() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    for (grpc::ClientContext* call : calls_) call->TryCancel();
  }
  stop_.notify_all();
  thread_.join();
}

Result<WatchData> WatchFeed::Fetch() {
  grpc::ClientContext jobs;
  grpc::ClientContext cluster;
  {
    const std::lock_guard lock(mutex_);
    calls_ = {&jobs, &cluster};
  }
  Result<WatchData> data = FetchWatchData(place_, jobs, cluster);
  const std::lock_guard lock(mutex_);
  calls_.clear();
  return data;
}

void WatchFeed::Run() {
  Duration wait = interval_;
  while (true) {
    const int64_t began_ns = NowNs();
    Result<WatchData> fetched = Fetch();
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
    if (stop_.wait_for(lock, rest, [this] { return stopping_; })) return;
  }
}

WatchState WatchFeed::State() const {
  const std::lock_guard lock(mutex_);
  const int64_t now = NowNs();
  return {data_, static_cast<double>(now - heard_ns_) / 1e9, trouble_,
          static_cast<double>(std::max<int64_t>(retry_at_ns_ - now, 0)) / 1e9};
}

}  // namespace gp
