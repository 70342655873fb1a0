#include "application/agent/agent_loop.h"

#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <utility>

#include "application/agent/observe.h"
#include "application/agent/reading_changes.h"
#include "base/ignore_result.h"
#include "domain/cluster/policy.h"
#include "domain/model/nodes/features.h"

namespace gp {
namespace {

// Ends of attempts wake the loop; this interval covers changes that do not.
constexpr Duration kMovePause = Duration::Milliseconds(200);
constexpr Duration kAdoptAgainAfter = Duration::Seconds(2);
constexpr Duration kTurnMax = Duration::Seconds(1);
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
      session_(link, clock, MakeSessionParts(), options_.incarnation, options_.followed),
      fresh_(options_.fresh),
      metrics_(logs,
               [this](const MetricSource& source) {
                 return LogDirectory(options_.launch, source.job, source.attempt) + "/" +
                        std::to_string(source.rank) + ".metrics";
               }),
      wake_fd_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (options_.port_blocks != nullptr) ports_.emplace(*options_.port_blocks);
}

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
  TakeNews();
  KeepGpus();
  MeasureUse();
  if (new_lineage_ != 0) AdoptLineage();
  if (has_desired_state_) Act();
  if (std::exchange(details_due_, false)) {
    FixImages();
    PassSurplus();
    PassCopies();
  }
  RunTasks();
  if (session_.is_connected()) SendWhatIsDue();
}

Duration AgentLoop::UntilNextTurn() {
  const int64_t now = clock_.BootNs();
  int64_t until = session_.NextAtNs();
  if (session_.is_connected()) until = std::min(until, report_at_ns_);
  if (new_lineage_ != 0) until = std::min(until, now + kMovePause.ns);
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

SessionParts AgentLoop::MakeSessionParts() {
  SessionParts parts;
  parts.join = [this] {
    JoinNode join;
    join.facts = FactsToReport();
    join.fresh = fresh_;
    join.leases = Observations();
    return join;
  };
  parts.keep_followed = options_.keep_followed;
  parts.warn = [this](const std::string& text) { Warn(text); };
  return parts;
}

void AgentLoop::TakeNews() {
  SessionNews news = session_.Turn();
  if (news.is_lost) {
    if (gpus_ != nullptr) gpus_->Disconnected();
    has_desired_state_ = false;  // the next controller may send another one
  }
  if (news.is_new) {
    sent_gpus_.clear();
    sent_readings_.clear();
    sent_progress_.clear();
    sent_images_.reset();
    metrics_.Begin();
  }
  LinkNews& link = news.link;
  report_due_ = report_due_ || news.is_new || link.wants_report || link.desired;
  if (link.takes_metrics) metrics_.Allow();
  metrics_.TakeKept(link.metrics_kept);
  if (link.acknowledged > 0 && gpus_ != nullptr) gpus_->Acknowledged(link.acknowledged);
  if (link.desired) TakeDesiredState(*std::move(link.desired));
  if (link.acknowledged > 0 || link.heartbeat > 0) Renew();
  if (link.foreign_to == 0) return;
  new_lineage_ = link.foreign_to;
  session_.Pause();
}

void AgentLoop::TakeDesiredState(NodeDesiredState desired) {
  session_.Settle();
  fresh_ = false;  // leases are remembered from now on
  desired_ = std::move(desired);
  has_desired_state_ = details_due_ = true;
  UpdateOpenLogs();
  WatchMetrics();
  UpdatePorts();
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
  if (const Status kept = session_.Follow({new_lineage_, 0}); !kept) {
    session_.Leave(kept.error().message);
    adopt_at_ns_ = clock_.BootNs() + kAdoptAgainAfter.ns;
    return;
  }
  new_lineage_ = 0;
  fresh_ = true;
  desired_ = {};
  declined_.clear();
  stopped_.clear();
  {
    const std::lock_guard lock(logs_mutex_);
    newest_known_ = {};
  }
  UpdateOpenLogs();
  session_.Resume();
}

void AgentLoop::Renew() {
  for (const DesiredLease& desired_lease : desired_.leases) {
    const auto seen = seen_.find(desired_lease.lease.id);
    if (!desired_lease.lease.stop_on_loss || seen == seen_.end() || seen->second.ended) continue;
    runner_.Renew(KeyOf(desired_lease.lease.id), session_.lease_until_ns());
  }
}

void AgentLoop::FixImages() {
  for (const DesiredLease& desired_lease : desired_.leases) {
    if (!desired_lease.image_digest.empty() && seen_.contains(desired_lease.lease.id))
      runner_.FixImage(KeyOf(desired_lease.lease.id), desired_lease.image_digest);
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

void AgentLoop::PassCopies() {
  for (const DesiredLease& desired_lease : desired_.leases) {
    if (auto orders = CopyOrdersOf(desired_lease); orders && seen_.contains(desired_lease.lease.id))
      runner_.SetCopies(KeyOf(desired_lease.lease.id), *orders);
  }
}

void AgentLoop::Observe() {
  std::map<LeaseId, LeaseObservation> now;
  progress_.clear();
  begun_.clear();
  copied_last_.clear();
  for (const AttemptStatus& status : runner_.Observe()) {
    auto seen = ToObservation(status);
    if (!seen) continue;
    if (status.started_boot_ns > 0) begun_[seen->lease] = status.started_boot_ns;
    if (status.is_copied_last) copied_last_.insert(seen->lease);
    AddClues(status, *seen);
    if (status.launch != nullptr && !begun_with_.contains(seen->lease))
      begun_with_[seen->lease] = FirstPortOf(*status.launch);
    now[seen->lease] = *std::move(seen);
    if (auto progress = ToProgress(status)) progress_.push_back(*std::move(progress));
  }
  rates_.AddTimeLeft(progress_, clock_.BootNs());
  std::erase_if(clues_, [&](const auto& one) { return !now.contains(one.first); });
  std::erase_if(begun_with_, [&](const auto& one) { return !now.contains(one.first); });
  if (now == seen_) return;
  // What comes with the desired state is for attempts that are there.
  details_due_ = details_due_ || now.size() > seen_.size();
  seen_ = std::move(now);
  report_due_ = true;
  UpdateOpenLogs();
  WatchMetrics();
  UpdatePorts();
}

std::shared_ptr<const NodeFacts> AgentLoop::FactsToReport() const {
  if (!ports_ && options_.image_care == nullptr) return options_.facts;
  auto facts = std::make_shared<NodeFacts>(*options_.facts);
  if (ports_) facts->features.insert(kPortLeasesFeature);
  if (options_.image_care != nullptr) facts->features.insert(kImageCareFeature);
  return facts;
}

// Ranks that wait for ports make the agent report at once.
void AgentLoop::UpdatePorts() {
  if (!ports_) return;
  ports_->Update(desired_, seen_, begun_with_);
  for (const DesiredLease& desired_lease : desired_.leases) {
    const LeaseId id = desired_lease.lease.id;
    const bool is_asked = desired_lease.awaits_ports && desired_lease.lease.rank == 0 &&
                          desired_lease.lease.stop == StopOrder::kNone;
    if (!is_asked || seen_.contains(id) || declined_.contains(id)) continue;
    report_due_ = true;
    if (ports_->OfferFor(desired_lease) == 0)
      Decline(id, {LeaseEnd::kPlatformFault, 0, 0,
                   "all TCP ports that its ranks could meet at are in use on this node"});
  }
}

void AgentLoop::WatchMetrics() {
  std::map<MetricSource, bool> ranks;
  for (const auto& [id, seen] : seen_) {
    const DesiredLease* desired_lease = DesiredLeaseFor(id);
    if (desired_lease == nullptr) continue;
    const Lease& lease = desired_lease->lease;
    ranks[{lease.job, lease.attempt, lease.rank}] = !seen.ended;
  }
  metrics_.Watch(ranks);
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
  AddOffers(all);
  return all;
}

// The ports that ranks wait for, which no program here has yet.
void AgentLoop::AddOffers(std::vector<LeaseObservation>& all) const {
  if (!ports_) return;
  for (const DesiredLease& desired_lease : desired_.leases) {
    const LeaseId id = desired_lease.lease.id;
    const int offer = ports_->OfferFor(desired_lease);
    if (offer == 0 || seen_.contains(id) || declined_.contains(id)) continue;
    LeaseObservation waiting;
    waiting.lease = id;
    waiting.first_port = offer;
    all.push_back(std::move(waiting));
  }
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
    const bool is_at_work = seen.running && !copied_last_.contains(id);
    const DesiredLease* desired_lease = is_at_work ? DesiredLeaseFor(id) : nullptr;
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
      if (clock_.BootNs() < session_.lease_until_ns()) StartLease(action.lease);
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
  for (const std::string& name : SecretsOf(*desired_lease.spec)) {
    if (!desired_lease.secrets.contains(name))
      return Decline(id, {LeaseEnd::kCouldNotStart, 0, 0,
                          "there is no secret " + name +
                              " any more, or the secrets of the job are too large together "
                              "(gpu-platform secrets list)"});
  }
  const LaunchSpec launch =
      MakeLaunch(desired_lease, *options_.facts, options_.launch, session_.lease_until_ns());
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
  while (session_.is_connected() && gpus_->HasNews())
    session_.Send(gpus_->NewsFor(session_.next_number()));
}

void AgentLoop::SendWhatIsDue() {
  const bool beats = session_.IsHeartbeatDue();
  const bool are_gpus_reported = !beats || gpus_ == nullptr || gpus_->Observations() == sent_gpus_;
  if (report_due_ || !are_gpus_reported || clock_.BootNs() >= report_at_ns_) SendReport();
  if (beats) SendHeartbeat();
  SendMetrics();
}

void AgentLoop::SendMetrics() {
  if (const auto parts = metrics_.Next(clock_.BootNs())) session_.SendUnanswered(*parts);
}

void AgentLoop::SendReport() {
  AgentReport report;
  report.leases = Observations();
  report.progress = progress_;
  if (std::vector<HeldImage> held = options_.held_images(); sent_images_ != held)
    report.images = sent_images_ = std::move(held);
  if (gpus_ != nullptr) {
    report.gpus = gpus_->Observations();
    report.readings = gpus_->LatestReadings();
  }
  session_.Send(report);
  report_due_ = false;
  // The GPUs cannot be used before their first reading, so the next report follows soon.
  const bool unread = gpus_ != nullptr && report.gpus.empty() && !options_.facts->gpus.empty();
  report_at_ns_ =
      clock_.BootNs() + (unread ? Duration::Milliseconds(50) : session_.report_every()).ns;
  sent_gpus_ = std::move(report.gpus);
  sent_readings_ = std::move(report.readings);
  sent_progress_ = progress_;
}

void AgentLoop::SendHeartbeat() {
  Heartbeat heartbeat;
  if (gpus_ != nullptr && HaveChanged(sent_readings_, gpus_->LatestReadings()))
    heartbeat.readings = sent_readings_ = gpus_->LatestReadings();
  if (progress_ != sent_progress_) heartbeat.progress = sent_progress_ = progress_;
  session_.SendHeartbeat(heartbeat);
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
  int64_t offset =
      request.since.ns > 0 ? GP_TRY(logs_.OffsetAt(path, request.since)) : request.offset;
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
