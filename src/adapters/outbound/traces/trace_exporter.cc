#include "adapters/outbound/traces/trace_exporter.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

#include "adapters/outbound/traces/job_spans.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

constexpr size_t kBatchMax = 512;
// Spans wait this long for others to share a request
constexpr std::chrono::milliseconds kGather{500};
constexpr std::chrono::seconds kPause{5};  // before a failed collector is tried again
constexpr Duration kSendMax = Duration::Seconds(10);
constexpr Duration kLastSendMax = Duration::Seconds(2);

}  // namespace

Result<WebAddress> ParseCollector(const std::string& url) {
  WebAddress address = GP_TRY(ParseWebAddress(url));
  if (address.target == "/") address.target = "/v1/traces";
  return address;
}

TraceExporter::TraceExporter(Options options)
    : options_(std::move(options)), stop_fd_(eventfd(0, EFD_CLOEXEC)), thread_([this] { Run(); }) {}

TraceExporter::~TraceExporter() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  const uint64_t one = 1;
  IgnoreResult(write(stop_fd_, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
  arrived_.notify_one();
  thread_.join();
  close(stop_fd_);
}

void TraceExporter::OnCommit(const State& state, const CommittedRecords& committed) {
  for (const Event& event : committed.events) {
    const auto* ended = std::get_if<JobEnded>(&event);
    const Job* job = ended == nullptr ? nullptr : state.FindJob(ended->job);
    if (job == nullptr) continue;
    std::vector<Span> spans = SpansOf(state, *job);
    const std::lock_guard lock(mutex_);
    if (waiting_.size() + spans.size() > options_.waiting_max) {
      lost_ += spans.size();
      continue;
    }
    waiting_.insert(waiting_.end(), std::make_move_iterator(spans.begin()),
                    std::make_move_iterator(spans.end()));
    arrived_.notify_one();
  }
}

// Waits briefly after the first span and returns it with those that arrived meanwhile.
std::vector<Span> TraceExporter::Next(std::unique_lock<std::mutex>& lock) {
  arrived_.wait(lock, [this] { return is_ending_ || !waiting_.empty(); });
  arrived_.wait_for(lock, kGather, [this] { return is_ending_ || waiting_.size() >= kBatchMax; });
  const auto end =
      waiting_.begin() + static_cast<std::ptrdiff_t>(std::min(waiting_.size(), kBatchMax));
  std::vector<Span> batch(std::make_move_iterator(waiting_.begin()), std::make_move_iterator(end));
  waiting_.erase(waiting_.begin(), end);
  return batch;
}

void TraceExporter::Run() {
  std::unique_lock lock(mutex_);
  while (true) {
    std::vector<Span> batch = Next(lock);
    if (is_ending_) {
      Restore(std::move(batch));
      break;
    }
    if (batch.empty()) continue;
    lock.unlock();
    const Outcome outcome = Send(batch, kSendMax, stop_fd_);
    lock.lock();
    if (outcome != Outcome::kLater) continue;
    Restore(std::move(batch));
    arrived_.wait_for(lock, kPause, [this] { return is_ending_; });
  }
  const std::vector<Span> rest(std::make_move_iterator(waiting_.begin()),
                               std::make_move_iterator(waiting_.end()));
  const size_t lost = lost_;
  lock.unlock();
  const bool is_taken = rest.empty() || Send(rest, kLastSendMax, -1) == Outcome::kTaken;
  SayLost(lost + (is_taken ? 0 : rest.size()));
}

// REQUIRES: the lock is held.
void TraceExporter::Restore(std::vector<Span> batch) {
  waiting_.insert(waiting_.begin(), std::make_move_iterator(batch.begin()),
                  std::make_move_iterator(batch.end()));
}

void TraceExporter::SayLost(size_t spans) const {
  if (spans > 0)
    options_.say(LogLevel::kWarning, "traces: " + std::to_string(spans) + " spans are lost");
}

TraceExporter::Outcome TraceExporter::Send(const std::vector<Span>& spans, Duration time_limit,
                                           int stop_fd) {
  WebPost post;
  post.to = options_.collector;
  post.headers = {{"content-type", "application/json"}};
  post.body = ToOtlp(spans, options_.version);
  post.time_limit = time_limit;
  const auto answer = Post(post, stop_fd);
  const bool is_taken = answer && answer->status >= 200 && answer->status < 300;
  const bool may_be_asked_again =
      !answer || answer->status == 429 || (answer->status >= 502 && answer->status <= 504);
  size_t lost = is_taken || may_be_asked_again ? 0 : spans.size();
  {
    const std::lock_guard lock(mutex_);
    // The stop aborted the request; the collector did not fail
    if (is_ending_ && stop_fd >= 0) return is_taken ? Outcome::kTaken : Outcome::kLater;
    lost += is_ending_ ? 0 : std::exchange(lost_, 0);
  }
  const std::string why = answer ? post.to.host + " answers " + std::to_string(answer->status) +
                                       ": " + Printable(answer->body, 200)
                                 : answer.error().message;
  if (!is_taken && std::exchange(is_reached_, false))
    options_.say(LogLevel::kWarning,
                 "traces: " + why + (may_be_asked_again && stop_fd >= 0 ? "; it is retried" : ""));
  if (is_taken && !std::exchange(is_reached_, true))
    options_.say(LogLevel::kInfo, "traces: the collector is reached again");
  if (stop_fd >= 0) SayLost(lost);
  return is_taken ? Outcome::kTaken : may_be_asked_again ? Outcome::kLater : Outcome::kRefused;
}

}  // namespace gp
