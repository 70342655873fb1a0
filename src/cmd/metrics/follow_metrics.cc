#include "cmd/metrics/follow_metrics.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <utility>

#include "cmd/connection/controller_line.h"
#include "cmd/jobs/line_patience.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

constexpr int kPauseMaxMs = 10'000;
constexpr int kLastPausesMs = 1'000;  // after the job's end
// A pause is this many times as long as the look before it: a controller with long answers, or many
// followers, spends little of its time on them.
constexpr int64_t kPausesPerLook = 10;
// The node sends a job's last points up to about two seconds after its end.
constexpr Duration kSettleTime = Duration::Seconds(3);
constexpr Duration kLongPast = Duration::Seconds(10);

std::atomic<int> interrupted_end = -1;  // of a pipe that the handler writes to

void OnCtrlC(int) {
  if (write(interrupted_end.load(), "", 1) < 0) _exit(128 + SIGINT);
}

// Ctrl-C as something to wait for; only the first one.
class CtrlC {
 public:
  CtrlC() {
    if (pipe2(ends_, O_CLOEXEC) != 0) return;
    interrupted_end = ends_[1];
    struct sigaction action{};
    action.sa_handler = OnCtrlC;
    action.sa_flags = SA_RESETHAND;
    sigaction(SIGINT, &action, nullptr);
  }
  // True: it has come.
  bool Wait(int timeout_ms) const {
    pollfd one{ends_[0], POLLIN, 0};
    return poll(&one, 1, timeout_ms) > 0;
  }

 private:
  int ends_[2] = {-1, -1};  // open until the program ends, as the handler is there
};

struct MetricsLook {
  v1::Job job;
  v1::GetJobMetricsReply metrics;
};

class MetricsFollower {
 public:
  MetricsFollower(Cli& cli, v1::GetJobMetricsRequest request, int pause_ms, const TakePoints& take)
      : cli_(cli), request_(std::move(request)), pause_ms_(pause_ms), take_(take) {}

  Result<FollowedMetrics> Run() {
    LinePatience patience;
    while (true) {
      const int64_t began_ns = clock_.BootNs();
      Result<MetricsLook> look = Look();
      if (look) {
        patience.Heard();
        if (GP_TRY(TakeAll(*look))) return seen_;
      } else {
        client_.reset();
        if (!MayPass(look.error()) || !patience.Wait()) return Fail(look.error());
      }
      seen_.is_interrupted = ctrl_c_.Wait(look ? PauseMs(clock_.BootNs() - began_ns) : 0);
      if (seen_.is_interrupted) return seen_;
    }
  }

 private:
  // The job first: metrics that are read after its end miss less.
  Result<MetricsLook> Look() {
    if (client_ == nullptr) client_ = GP_TRY(OpenController(cli_.server));
    v1::GetJobRequest request;
    request.set_job_id(request_.job_id());
    MetricsLook look;
    look.job = GP_TRY(client_->Call<v1::Job>("GetJob", request));
    request_.set_job_id(look.job.id());  // a name may later be that of another job
    look.metrics = GP_TRY(client_->Call<v1::GetJobMetricsReply>("GetJobMetrics", request_));
    return look;
  }

  // True: there will be no more.
  Result<bool> TakeAll(const MetricsLook& look) {
    const bool is_first = seen_.job.id().empty();
    const SeriesPoints fresh = cursor_.TakeNew(look.metrics);
    if (is_first && fresh.empty() && !IsOver(look.job))
      cli_.Say("no metrics yet; waiting for them");
    if (!fresh.empty()) GP_CHECK_OK(take_(look.job, fresh));
    if (!IsOver(seen_.job) || !fresh.empty()) quiet_since_ns_ = clock_.BootNs();
    seen_.job = look.job;
    seen_.points += static_cast<int64_t>(fresh.size());
    if (!IsOver(look.job)) return false;
    return (is_first && IsLongPast(look.job)) ||
           clock_.BootNs() - quiet_since_ns_ >= kSettleTime.ns;
  }

  bool IsLongPast(const v1::Job& job) {
    const auto ended_at = ParseRfc3339(job.ended_at());
    return ended_at && clock_.Now() - *ended_at > kLongPast;
  }

  int PauseMs(int64_t look_ns) const {
    const int64_t share_ms = Duration{look_ns}.ToMilliseconds() * kPausesPerLook;
    const int pause_ms = IsOver(seen_.job) ? kLastPausesMs : pause_ms_;
    return static_cast<int>(std::clamp<int64_t>(share_ms, pause_ms, kPauseMaxMs));
  }

  Cli& cli_;
  v1::GetJobMetricsRequest request_;
  const int pause_ms_;
  const TakePoints& take_;
  SystemClock clock_;
  CtrlC ctrl_c_;
  std::unique_ptr<ControlClient> client_;
  MetricCursor cursor_;
  FollowedMetrics seen_;
  int64_t quiet_since_ns_ = 0;  // boot time of the last point, and of the first look after the end
};

}  // namespace

Result<FollowedMetrics> FollowMetrics(Cli& cli, v1::GetJobMetricsRequest request, int pause_ms,
                                      const TakePoints& take) {
  request.set_points(kCurvePointsMax);
  request.set_superseded(true);
  return MetricsFollower(cli, std::move(request), pause_ms, take).Run();
}

}  // namespace gp
