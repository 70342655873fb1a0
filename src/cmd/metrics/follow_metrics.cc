#include "cmd/metrics/follow_metrics.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <deque>
#include <optional>
#include <thread>
#include <utility>

#include "cmd/connection/controller_line.h"
#include "cmd/jobs/line_patience.h"
#include "cmd/text/job_text.h"

namespace gp {
namespace {

constexpr int kCtrlCLookMs = 50;
// Those that are there are given together, in the order of their time; of more than these, in
// pieces.
constexpr size_t kTogetherMax = 200'000;

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

// Ends the stream of this context at Ctrl-C, for as long as it lives.
class CtrlCEnds {
 public:
  CtrlCEnds(const CtrlC& ctrl_c, grpc::ClientContext& context)
      : thread_([this, &ctrl_c, &context] {
          while (!is_over_) {
            if (!ctrl_c.Wait(kCtrlCLookMs)) continue;
            context.TryCancel();
            return;
          }
        }) {}
  ~CtrlCEnds() {
    is_over_ = true;
    thread_.join();
  }
  CtrlCEnds(const CtrlCEnds&) = delete;
  CtrlCEnds& operator=(const CtrlCEnds&) = delete;

 private:
  std::atomic<bool> is_over_ = false;
  std::thread thread_;
};

class MetricsFollower {
 public:
  MetricsFollower(Cli& cli, v1::WatchJobMetricsRequest request, const TakePoints& take)
      : cli_(cli), request_(std::move(request)), take_(take) {}

  Result<FollowedMetrics> Run() {
    while (true) {
      const Status followed = Follow();
      if (taken_ && !*taken_) return Fail(taken_->error());
      seen_.is_interrupted = ctrl_c_.Wait(0);
      if (followed || seen_.is_interrupted) return seen_;
      if (!MayPass(followed.error()) || !patience_.Wait()) return Fail(followed.error());
    }
  }

 private:
  Status LookAtJob(ControlClient& client) {
    v1::GetJobRequest request;
    request.set_job_id(request_.job_id());
    seen_.job = GP_TRY(client.Call<v1::Job>("GetJob", request));
    request_.set_job_id(seen_.job.id());  // a name may later be that of another job
    patience_.Heard();
    return Ok();
  }

  // To the job's end.
  Status Follow() {
    const auto client = GP_TRY(OpenController(cli_.server));
    GP_CHECK_OK(LookAtJob(*client));
    GP_CHECK_OK(ReadStream(*client));
    return LookAtJob(*client);
  }

  Status ReadStream(ControlClient& client) {
    grpc::ClientContext context;
    v1::Control::Stub* stub = GP_TRY(client.Streams(context));
    const CtrlCEnds ends(ctrl_c_, context);
    const auto reader = stub->WatchJobMetrics(&context, request_);
    v1::NewMetricPoints message;
    while (reader->Read(&message)) {
      patience_.Heard();
      taken_ = Take(std::move(message));
      if (!*taken_) context.TryCancel();
    }
    held_.clear();  // they come again
    held_points_ = 0;
    const grpc::Status status = reader->Finish();
    return status.ok() ? Ok() : Status(Fail(ControlClient::ErrorOf(status)));
  }

  Status Take(v1::NewMetricPoints message) {
    if (message.series().empty() && seen_.points == 0 && !IsOver(seen_.job) && !has_said_none_) {
      has_said_none_ = true;
      cli_.Say("no metrics yet; waiting for them");
    }
    for (const v1::MetricSeries& series : message.series())
      held_points_ += static_cast<size_t>(series.points_size());
    held_.push_back(std::move(message));
    return held_.back().more() && held_points_ < kTogetherMax ? Ok() : GiveHeld();
  }

  Status GiveHeld() {
    SeriesPoints points;
    for (const v1::NewMetricPoints& message : held_) {
      const SeriesPoints of_message = PointsOf(message);
      points.insert(points.end(), of_message.begin(), of_message.end());
    }
    if (!points.empty()) GP_CHECK_OK(take_(seen_.job, InOrder(std::move(points))));
    seen_.points += static_cast<int64_t>(held_points_);
    if (!held_.back().position().empty()) request_.set_since(held_.back().position());
    held_.clear();
    held_points_ = 0;
    return Ok();
  }

  Cli& cli_;
  v1::WatchJobMetricsRequest request_;
  const TakePoints& take_;
  CtrlC ctrl_c_;
  LinePatience patience_;
  FollowedMetrics seen_;
  std::deque<v1::NewMetricPoints> held_;  // not yet given
  size_t held_points_ = 0;
  std::optional<Status> taken_;  // the last points
  bool has_said_none_ = false;
};

}  // namespace

Result<FollowedMetrics> FollowMetrics(Cli& cli, v1::WatchJobMetricsRequest request,
                                      const TakePoints& take) {
  return MetricsFollower(cli, std::move(request), take).Run();
}

}  // namespace gp
