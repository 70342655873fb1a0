#include "application/agent/agent_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>

#include "application/agent/observe.h"
#include "base/ignore_result.h"
#include "domain/cluster/policy.h"

namespace gp {
namespace {

constexpr int kConnectionBits = 20;
// Ends of attempts wake the loop; this interval covers changes that do not.
constexpr Duration kMovePause = Duration::Milliseconds(200);
constexpr Duration kConnectWaitMax = Duration::Seconds(2);
constexpr Duration kTurnMax = Duration::Seconds(1);
// Heartbeats per lease time, so that one or two may be lost.
constexpr int64_t kHeartbeatsPerLease = 5;
// The controller assigns a lost node's devices to other jobs after kLeaseEndTime.
static_assert(kLeaseGraceMax < kLeaseEndTime);

}  // namespace

AgentLoop::AgentLoop(AgentOptions options, ControlLink& link, AttemptRunner& runner,
                     LogReader& logs, GpuKeeper* gpus, Clock& clock)
    : options_(std::move(options)),
      link_(link),
      runner_(runner),
      logs_(logs),
      gpus_(gpus),
      clock_(clock),
      lineage_(options_.lineage),
      fresh_(options_.fresh),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

AgentLoop::~AgentLoop() { close(wake_fd_); }

void AgentLoop::Stop() {
  stopping_ = true;
  const uint64_t one = 1;
  IgnoreResult(write(wake_fd_, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
}

void AgentLoop::Run() {
  while (!stopping_) {
    Turn();
    WaitForEvents();
  }
}

void AgentLoop::Turn() {
  Observe();
  if (!connected_ && new_lineage_ == 0 && clock_.BootNs() >= connect_at_ns_) Connect();
  TakeNews();
  KeepGpus();
  MeasureUse();
  if (new_lineage_ != 0) AdoptLineage();
  if (has_desired_state_) Act();
  if (std::exchange(surplus_due_, false)) PassSurplus();
  RunTasks();
  if (connected_ && (report_due_ || clock_.BootNs() >= report_at_ns_)) SendReport();
}

Duration AgentLoop::UntilNextTurn() {
  const int64_t now = clock_.BootNs();
  const int64_t until = connected_          ? report_at_ns_
                        : new_lineage_ != 0 ? now + kMovePause.ns
                                            : connect_at_ns_;
  Duration wait{until - now};
  if (const auto next = gpus_ == nullptr ? std::nullopt : gpus_->NextAt())
    wait = std::min(wait, Duration{next->ns - now});
  return std::clamp(wait, Duration{}, kTurnMax);
}

void AgentLoop::WaitForEvents() {
  std::vector<pollfd> fds{{wake_fd_, POLLIN, 0},
                          {link_.EventDescriptor(), POLLIN, 0},
                          {runner_.EventDescriptor(), POLLIN, 0}};
  if (gpus_ != nullptr) {
    for (const int fd : gpus_->EventDescriptors()) fds.push_back({fd, POLLIN, 0});
  }
  // Rounded up: a turn that comes a moment too early finds nothing due.
  const int64_t wait_ms =
      std::min(UntilNextTurn() + Duration::Milliseconds(1), kTurnMax).ToMilliseconds();
  poll(fds.data(), fds.size(), static_cast<int>(wait_ms));
  uint64_t drained = 0;
  if ((fds[0].revents & POLLIN) != 0)
    IgnoreResult(read(wake_fd_, &drained, sizeof drained), "only the wake-up matters");
}

void AgentLoop::Warn(const std::string& text) const {
  if (options_.log != nullptr) options_.log->Write(LogLevel::kWarning, "agent: " + text);
}

void AgentLoop::Connect() {
  JoinNode join;
  join.facts = options_.facts;
  // New with every connection, so that a report still under way on the old one is stale.
  join.incarnation = (options_.incarnation << kConnectionBits) + ++connections_;
  join.lineage = lineage_;
  join.fresh = fresh_;
  join.leases = Observations();
  sent_at_ns_.clear();
  sent_at_ns_[1] = clock_.BootNs();
  last_sent_ = 1;
  link_.Connect(join);
  connected_ = true;
  report_due_ = false;
  report_at_ns_ = clock_.BootNs() + lease_time_.ns / kHeartbeatsPerLease;
}

void AgentLoop::TakeNews() {
  LinkNews news = link_.TakeNews();
  if (news.acknowledged > 0) {
    if (sent_at_ns_.contains(1)) report_due_ = true;  // joined: report the GPUs at once
    const auto acknowledged = sent_at_ns_.find(news.acknowledged);
    if (acknowledged != sent_at_ns_.end())
      lease_until_ns_ = acknowledged->second + news.lease_time.ns;
    lease_time_ = news.lease_time;
    sent_at_ns_.erase(sent_at_ns_.begin(), sent_at_ns_.upper_bound(news.acknowledged));
    if (gpus_ != nullptr) gpus_->Acknowledged(news.acknowledged);
  }
  // Epoch fencing: the desired state of a controller that was replaced is ignored.
  if (news.desired && news.desired->epoch >= newest_epoch_)
    TakeDesiredState(*std::move(news.desired));
  if (news.acknowledged > 0) Renew();
  if (news.foreign_to != 0) new_lineage_ = news.foreign_to;
  if (news.broken && connected_) Disconnect(news.why);
}

void AgentLoop::TakeDesiredState(NodeDesiredState desired) {
  if (lineage_ != desired.lineage) {
    if (const Status kept = options_.keep_lineage(desired.lineage); !kept)
      return Disconnect(kept.error().message);
    lineage_ = desired.lineage;
  }
  connect_wait_ = kConnectWaitMin;
  trouble_.clear();
  fresh_ = false;  // leases are remembered from now on
  newest_epoch_ = desired.epoch;
  desired_ = std::move(desired);
  has_desired_state_ = surplus_due_ = true;
  UpdateOpenLogs();
}

void AgentLoop::Disconnect(const std::string& why) {
  if (why != trouble_) Warn("connection lost: " + why);
  trouble_ = why;
  connected_ = false;
  if (gpus_ != nullptr) gpus_->Disconnected();
  has_desired_state_ = false;  // the next controller may send another one
  connect_at_ns_ = clock_.BootNs() + connect_wait_.ns;
  connect_wait_ = std::min(connect_wait_ * 2, kConnectWaitMax);
}

// Ends all attempts of another journal.  They are not reported, because their numbers mean nothing
// to the present one.
void AgentLoop::AdoptLineage() {
  for (const auto& [id, seen] : seen_) {
    if (!seen.ended) {
      if (std::exchange(stopped_[id], StopOrder::kKill) != StopOrder::kKill)
        runner_.Stop(KeyOf(id), Duration{});
    } else if (const Status gone = runner_.Forget(KeyOf(id)); !gone) {
      Warn(ToText(id) + ": " + gone.error().message);
    }
  }
  Observe();
  if (!seen_.empty() || !runner_.IsEmpty() || clock_.BootNs() < adopt_at_ns_) return;
  if (const Status kept = options_.keep_lineage(new_lineage_); !kept) {
    Disconnect(kept.error().message);
    adopt_at_ns_ = connect_at_ns_;
    return;
  }
  lineage_ = std::exchange(new_lineage_, 0);
  fresh_ = true;
  newest_epoch_ = 0;
  desired_ = {};
  declined_.clear();
  stopped_.clear();
  {
    const std::lock_guard lock(logs_mutex_);
    newest_known_ = {};
  }
  UpdateOpenLogs();
  connect_at_ns_ = 0;
}

void AgentLoop::Renew() {
  for (const DesiredLease& desired_lease : desired_.leases) {
    const auto seen = seen_.find(desired_lease.lease.id);
    if (!desired_lease.lease.stop_on_loss || seen == seen_.end() || seen->second.ended) continue;
    runner_.Renew(KeyOf(desired_lease.lease.id), lease_until_ns_);
  }
}

// Passes the complete list each time; a path that is not in it any more is not removed.
void AgentLoop::PassSurplus() {
  for (const DesiredLease& desired_lease : desired_.leases) {
    const CheckpointRequest& request = desired_lease.spec->recovery.checkpoint;
    const auto seen = seen_.find(desired_lease.lease.id);
    if (request.keep > 0 && seen != seen_.end() && seen->second.running)
      runner_.Discard(KeyOf(desired_lease.lease.id), request.directory, desired_lease.surplus);
  }
}

void AgentLoop::Observe() {
  std::map<LeaseId, LeaseObservation> now;
  progress_.clear();
  begun_.clear();
  for (const AttemptStatus& status : runner_.Observe()) {
    auto seen = ToObservation(status);
    if (!seen) continue;
    if (status.started_boot_ns > 0) begun_[seen->lease] = status.started_boot_ns;
    AddClues(status, *seen);
    now[seen->lease] = *std::move(seen);
    if (auto progress = ToProgress(status)) progress_.push_back(*std::move(progress));
  }
  std::erase_if(clues_, [&](const auto& one) { return !now.contains(one.first); });
  if (now == seen_) return;
  seen_ = std::move(now);
  report_due_ = true;
  UpdateOpenLogs();
}

// The output of an ended attempt is read once, because it does not change any more.
void AgentLoop::AddClues(const AttemptStatus& status, LeaseObservation& seen) {
  const bool failed = seen.ended && seen.outcome.end == LeaseEnd::kExited &&
                      (seen.outcome.exit_code != 0 || seen.outcome.signal != 0);
  if (!failed || status.launch == nullptr) return;
  auto known = clues_.find(seen.lease);
  if (known == clues_.end())
    known = clues_.emplace(seen.lease, options_.find_clues(*status.launch)).first;
  seen.outcome.clues = known->second;
  seen.outcome.clues.gpu_memory |= status.is_gpu_memory_used_up;
  seen.outcome.clues.mps_failed = status.is_mps_failed;
}

void AgentLoop::UpdateOpenLogs() {
  const std::lock_guard lock(logs_mutex_);
  open_logs_.clear();
  for (const DesiredLease& desired_lease : desired_.leases)
    open_logs_.insert(desired_lease.lease.id);
  for (const auto& [id, seen] : seen_) open_logs_.insert(id);
  std::erase_if(open_logs_, [this](LeaseId id) {
    const auto seen = seen_.find(id);
    return declined_.contains(id) || (seen != seen_.end() && seen->second.ended);
  });
  newest_known_ = std::max(newest_known_, desired_.last_lease);
  jobs_here_.reset();
  if (!has_desired_state_) return;
  jobs_here_.emplace();
  for (const DesiredLease& desired_lease : desired_.leases)
    jobs_here_->insert(desired_lease.lease.job);
}

std::optional<std::set<JobId>> AgentLoop::JobsHere() const {
  const std::lock_guard lock(logs_mutex_);
  return jobs_here_;
}

bool AgentLoop::MayStillWrite(LeaseId lease) const {
  const std::lock_guard lock(logs_mutex_);
  return open_logs_.contains(lease) || lease > newest_known_;
}

const DesiredLease* AgentLoop::DesiredLeaseFor(LeaseId id) const {
  const auto desired_lease =
      std::ranges::find(desired_.leases, id, [](const DesiredLease& o) { return o.lease.id; });
  return desired_lease == desired_.leases.end() ? nullptr : &*desired_lease;
}

void AgentLoop::Act() {
  std::vector<HeldLease> held;
  for (const auto* side : {&seen_, &declined_}) {
    for (const auto& [id, seen] : *side) {
      const auto stop = stopped_.find(id);
      held.push_back({id, seen.ended, stop == stopped_.end() ? StopOrder::kNone : stop->second});
    }
  }
  const std::vector<NodeAction> actions = Reconcile(desired_, held);
  for (const NodeAction& action : actions) CarryOut(action);
  if (!actions.empty()) Observe();
}

std::vector<LeaseObservation> AgentLoop::Observations() const {
  std::vector<LeaseObservation> all;
  for (const auto& [id, seen] : seen_) {
    all.push_back(seen);
    const auto begun = begun_.find(id);
    if (seen.running && begun != begun_.end()) all.back().ran.ns = clock_.BootNs() - begun->second;
    if (const RankUse* use = meter_.Of(id)) all.back().use = *use;
    if (seen.is_hung && IsAtWork(id)) all.back().is_hung = false;
  }
  for (const auto& [id, seen] : declined_) all.push_back(seen);
  return all;
}

// The GPUs of a job that has never reported progress show that it does not hang, if they can be
// measured.
bool AgentLoop::IsAtWork(LeaseId lease) const {
  const bool reports = std::ranges::any_of(
      progress_, [&](const LeaseProgress& one) { return one.lease == lease && one.at.ns != 0; });
  const DesiredLease* desired_lease = DesiredLeaseFor(lease);
  const std::optional<Duration> idle = meter_.IdleFor(lease, clock_.BootNs());
  return !reports && desired_lease != nullptr && idle &&
         *idle < desired_lease->spec->recovery.hang_after;
}

void AgentLoop::MeasureUse() {
  constexpr Duration kEvery = Duration::Milliseconds(500);
  if (clock_.BootNs() < measure_at_ns_) return;
  measure_at_ns_ = clock_.BootNs() + kEvery.ns;
  static const std::vector<GpuReading> kNone;
  const std::vector<GpuReading>& readings = gpus_ == nullptr ? kNone : gpus_->LatestReadings();
  std::set<LeaseId> known;
  for (const auto& [id, seen] : seen_) {
    known.insert(id);
    const DesiredLease* desired_lease = seen.running ? DesiredLeaseFor(id) : nullptr;
    if (desired_lease != nullptr)
      meter_.Look(desired_lease->lease, runner_.Used(KeyOf(id)), readings, clock_.BootNs(),
                  clock_.Now());
  }
  meter_.Keep(known);
}

void AgentLoop::CarryOut(const NodeAction& action) {
  const std::string key = KeyOf(action.lease);
  switch (action.kind) {
    case NodeActionKind::kStart:
      // While this process was suspended the lease may have expired, and the job may run elsewhere.
      // So a job starts only while the controller's last acknowledgement is still valid.
      if (clock_.BootNs() < lease_until_ns_) StartLease(action.lease);
      return;
    case NodeActionKind::kDecline:
      return Decline(action.lease, {LeaseEnd::kStopped, 0, 0, "stopped before it was started"});
    case NodeActionKind::kStop:
      stopped_[action.lease] = StopOrder::kGraceful;
      return runner_.Stop(key, DesiredLeaseFor(action.lease)->spec->policy.grace);
    case NodeActionKind::kKill:
      stopped_[action.lease] = StopOrder::kKill;
      return runner_.Stop(key, Duration{});
    case NodeActionKind::kForget:
      stopped_.erase(action.lease);
      if (declined_.erase(action.lease) > 0) return;
      if (const Status gone = runner_.Forget(key); !gone) Warn(key + ": " + gone.error().message);
  }
}

void AgentLoop::StartLease(LeaseId id) {
  const DesiredLease& desired_lease = *DesiredLeaseFor(id);
  for (const std::string& name : desired_lease.spec->program.secrets) {
    if (!desired_lease.secrets.contains(name))
      return Decline(id, {LeaseEnd::kCouldNotStart, 0, 0,
                          "there is no secret " + name +
                              " any more, or the secrets of the job are too large together "
                              "(gpu-platform secrets list)"});
  }
  const LaunchSpec launch =
      MakeLaunch(desired_lease, *options_.facts, options_.launch, lease_until_ns_);
  if (const Status started = runner_.Start(launch); !started) {
    Decline(id, {LeaseEnd::kPlatformFault, 0, 0, started.error().message});
  }
}

void AgentLoop::Decline(LeaseId id, const LeaseOutcome& outcome) {
  LeaseObservation seen;
  seen.lease = id;
  seen.ended = true;
  seen.outcome = outcome;
  declined_[id] = seen;
  report_due_ = true;
  UpdateOpenLogs();
}

// Faults are sent before their consequences, so that the controller knows the fault when it judges
// the end of a job.
void AgentLoop::KeepGpus() {
  if (gpus_ == nullptr) return;
  gpus_->Look();
  report_due_ = report_due_ || gpus_->HasNewFindings();
  gpus_->CarryOut(desired_.tasks);
  while (connected_ && gpus_->HasNews()) {
    const int64_t sent_at_ns = clock_.BootNs();
    last_sent_ = link_.Send(gpus_->NewsFor(last_sent_ + 1));
    sent_at_ns_[last_sent_] = sent_at_ns;
  }
}

void AgentLoop::SendReport() {
  AgentReport report;
  report.leases = Observations();
  report.progress = progress_;
  if (gpus_ != nullptr) {
    report.gpus = gpus_->Observations();
    report.readings = gpus_->LatestReadings();
  }
  const int64_t sent_at_ns = clock_.BootNs();  // before sending: the lease counts from here
  last_sent_ = link_.Send(report);
  sent_at_ns_[last_sent_] = sent_at_ns;
  report_due_ = false;
  // The GPUs cannot be used before their first reading, so the next report follows soon.
  const bool unread = report.gpus.empty() && !options_.facts->gpus.empty();
  const int64_t interval =
      unread ? Duration::Milliseconds(50).ns : lease_time_.ns / kHeartbeatsPerLease;
  report_at_ns_ = clock_.BootNs() + interval;
}

void AgentLoop::RunTasks() {
  std::vector<std::function<void()>> tasks;
  {
    const std::lock_guard lock(tasks_mutex_);
    tasks.swap(tasks_);
  }
  for (const auto& task : tasks) task();
}

Result<ExecStreams> AgentLoop::Exec(LeaseId lease, const ExecSpec& spec) {
  auto answer = std::make_shared<std::promise<Result<ExecStreams>>>();
  auto result = answer->get_future();
  {
    const std::lock_guard lock(tasks_mutex_);
    tasks_.push_back(
        [this, lease, spec, answer] { answer->set_value(runner_.Exec(KeyOf(lease), spec)); });
  }
  const uint64_t one = 1;
  IgnoreResult(write(wake_fd_, &one, sizeof one),
               "a descriptor that is full wakes its reader, too");
  return result.get();
}

Status AgentLoop::ReadLog(const LogRequest& request,
                          const std::function<bool(int64_t, const std::string&)>& take) {
  constexpr int64_t kPiece = 256 << 10;
  constexpr int kPollMs = 50;
  const std::string path = LogDirectory(options_.launch, request.job, request.attempt) + "/" +
                           std::to_string(request.rank) + (request.errors ? ".err" : ".out");
  int64_t offset = request.offset;
  while (!stopping_) {
    // Checked before reading, so that output written before the end is never missed.
    const bool more = MayStillWrite(request.lease);
    const LogSlice slice = GP_TRY(logs_.Read(path, offset, kPiece));
    // Empty pieces are passed too, because `take` says whether the reader is still there.
    if (!take(slice.offset, slice.bytes)) return Ok();
    offset = slice.offset + static_cast<int64_t>(slice.bytes.size());
    if (!slice.bytes.empty()) continue;
    if (!request.follow || !more) return Ok();
    poll(nullptr, 0, kPollMs);
  }
  return Fail(Unavailable("the agent is stopping"));
}

}  // namespace gp
