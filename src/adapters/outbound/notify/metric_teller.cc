#include "adapters/outbound/notify/metric_teller.h"

#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>

#include "adapters/outbound/notify/deliver.h"
#include "base/ignore_result.h"
#include "base/text.h"

namespace gp {
namespace {

// The node sends a job's last points up to about two seconds after its end.
constexpr std::chrono::seconds kSettleTime{4};
// Jobs that end at short intervals are looked up together.
constexpr std::chrono::seconds kEndsPause{1};
constexpr std::chrono::seconds kRetryPause{10};
constexpr int kTriesOfLast = 60;
constexpr size_t kEndedMax = 1'000;
constexpr size_t kNamesMax = 256;
constexpr size_t kPieceBytes = 256 << 10;
constexpr size_t kRoundBytes = 64 << 20;

}  // namespace

MetricTeller::MetricTeller(NotifyConfig config, Receiver receiver, JobReportSource source,
                           std::function<void(LogLevel, const std::string&)> say, Clock& clock)
    : config_(std::move(config)),
      receiver_(std::move(receiver)),
      source_(std::move(source)),
      say_(std::move(say)),
      clock_(clock),
      stop_fd_(eventfd(0, EFD_CLOEXEC)),
      thread_([this] { Run(); }) {}

MetricTeller::~MetricTeller() {
  if (thread_.joinable()) {
    End();
    Join();
  }
  close(stop_fd_);
}

void MetricTeller::End() {
  {
    const std::lock_guard lock(mutex_);
    is_ending_ = true;
  }
  const uint64_t one = 1;
  IgnoreResult(write(stop_fd_, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
  changed_.notify_one();
}

void MetricTeller::Join() { thread_.join(); }

// Of more jobs that wait for a receiver that is away, the oldest are given up.
void MetricTeller::NoteEnd(JobId job) {
  {
    const std::lock_guard lock(mutex_);
    ended_[job] = {SteadyClock::now() + kSettleTime, 0};
    if (ended_.size() > kEndedMax) ended_.erase(ended_.begin());
  }
  changed_.notify_one();
}

bool MetricTeller::AwaitNext(SteadyClock::time_point next, SteadyClock::time_point ends_from) {
  std::unique_lock lock(mutex_);
  while (!is_ending_) {
    auto until = next;
    for (const auto& [job, one] : ended_) until = std::min(until, std::max(one.due, ends_from));
    if (SteadyClock::now() >= until) return true;
    changed_.wait_until(lock, until);
  }
  return false;
}

std::map<JobId, MetricTeller::Ended> MetricTeller::TakeDue() {
  const std::lock_guard lock(mutex_);
  std::map<JobId, Ended> due;
  const auto now = SteadyClock::now();
  for (const auto& [job, one] : ended_) {
    if (one.due <= now) due.emplace(job, one);
  }
  for (const auto& [job, one] : due) ended_.erase(job);
  return due;
}

void MetricTeller::Run() {
  const std::chrono::nanoseconds every(receiver_.metrics_every.ns);
  auto next = SteadyClock::now() + every;
  auto ends_from = SteadyClock::now();
  while (AwaitNext(next, ends_from)) {
    const bool is_due = SteadyClock::now() >= next;
    if (is_due) next = SteadyClock::now() + every;
    TellAll(is_due, TakeDue());
    ends_from = SteadyClock::now() + kEndsPause;
  }
}

// A receiver that does not answer is not asked again in the same round: each time may take seconds.
// What it refuses for good is not sent again: the next values may please it.
void MetricTeller::TellAll(bool is_due, std::map<JobId, Ended> ended) {
  ReportingQuery query{.running = is_due, .is_wanted = [this](const EventLine& line) {
                         return IsWanted(receiver_, line);
                       }};
  for (const auto& [job, one] : ended) query.also.insert(job);
  const auto jobs = source_.jobs(query);
  if (!jobs) return TryAgain(ended);
  size_t bytes_left = kRoundBytes;
  bool is_away = false;
  std::string problem;
  for (const ReportingJob& job : *jobs) {
    const bool is_turn = job.is_over ? ended.contains(job.id) : is_due;
    if (is_away || !is_turn) continue;
    Known& known = known_[job.id];
    Read(job, known, bytes_left);
    if (known.values.empty() || !(known.is_fresh || job.is_over)) continue;
    const Status told = TellOne(job, known);
    if (!told) problem = told.error().message;
    is_away = !told && told.error().code == ErrorCode::kUnavailable;
    if (is_away) continue;
    known.is_fresh = false;
    ended.erase(job.id);
  }
  SayProblem(problem);
  if (is_away) TryAgain(ended);
  Forget(query, *jobs);
}

void MetricTeller::Forget(const ReportingQuery& query, const std::vector<ReportingJob>& jobs) {
  std::set<JobId> kept;
  for (const ReportingJob& job : jobs) {
    if (!job.is_over) kept.insert(job.id);
  }
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [job, one] : ended_) kept.insert(job);
  }
  std::erase_if(known_, [&](const auto& one) {
    const bool was_looked_for = query.running || query.also.contains(one.first);
    return was_looked_for && !kept.contains(one.first);
  });
}

void MetricTeller::TryAgain(const std::map<JobId, Ended>& ended) {
  const std::lock_guard lock(mutex_);
  for (const auto& [job, one] : ended) {
    if (one.tries + 1 < kTriesOfLast && ended_.size() < kEndedMax)
      ended_[job] = {SteadyClock::now() + kRetryPause, one.tries + 1};
  }
}

Status MetricTeller::TellOne(const ReportingJob& job, const Known& known) {
  const Instant now = clock_.Now();
  Notification notification{
      ToBase32(static_cast<uint64_t>(now.ns)) + "." + job.line.event + "." + ToText(job.id), now,
      job.line};
  notification.metrics.emplace();
  notification.metrics->is_last = job.is_over;
  for (const auto& [name, one] : known.values)
    notification.metrics->values.push_back({one.attempt, one.rank, one.point});
  return Deliver(config_, receiver_, ToJson(notification), now, stop_fd_);
}

// Each problem once.
void MetricTeller::SayProblem(const std::string& problem) {
  if (problem == problem_) return;
  problem_ = problem;
  if (!problem.empty())
    say_(LogLevel::kWarning, "notify: " + receiver_.name + ": metrics: " + problem);
}

// Of several ranks, a metric is that of the first one.
void MetricTeller::Take(const MetricRecords& records, Known& known) {
  const MetricSource& from = records.source;
  for (const MetricPoint& point : records.points) {
    const auto before = known.values.find(point.name);
    if (before == known.values.end() && known.values.size() >= kNamesMax) continue;
    const bool is_newer =
        before == known.values.end() || from.attempt > before->second.attempt ||
        (from.attempt == before->second.attempt && from.rank <= before->second.rank);
    if (!is_newer) continue;
    known.values[point.name] = {from.attempt, from.rank, point};
    known.is_fresh = true;
  }
}

// What cannot be read now may be in the next round.
void MetricTeller::Read(const ReportingJob& job, Known& known, size_t& bytes_left) {
  known.cursor.GoBack(job.places);
  while (bytes_left >= kPieceBytes) {
    const auto fresh = source_.store->ReadAfter(job.id, known.cursor.ends(), kPieceBytes);
    if (!fresh || fresh->empty()) return;
    for (const MetricRecords& one : *fresh) {
      const int64_t bytes = one.end - known.cursor.EndOf(one);
      bytes_left -= std::min(bytes_left, static_cast<size_t>(bytes));
      if (known.cursor.Pass(one, job.places)) Take(one, known);
    }
  }
}

}  // namespace gp
