#include "application/control/control_loop.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <optional>
#include <type_traits>
#include <utility>

#include "application/control/journal_retention.h"
#include "application/control/recover.h"
#include "base/assert.h"
#include "base/ignore_result.h"
#include "domain/cluster/apply/apply.h"
#include "domain/cluster/check/invariants.h"
#include "domain/cluster/codec/in_format.h"
#include "domain/cluster/decide/decide.h"
#include "domain/cluster/event_traits.h"
#include "domain/cluster/next_deadline.h"
#include "domain/scheduling/planner.h"

namespace gp {
namespace {

constexpr Duration kTimerMax = Duration::Milliseconds(250);
constexpr Duration kSweepEvery = Duration::Milliseconds(50);
constexpr Duration kReviewEvery = Duration::Seconds(10);
constexpr Duration kNoteTimeEvery = Duration::Seconds(1);
constexpr Duration kRaiseEvery = Duration::Seconds(1);
constexpr const char* kOwnOrigin = "controller";
constexpr const char* kSchedulerOrigin = "scheduler";
constexpr std::string_view kUsers = "user:";
constexpr Duration kMillisecond = Duration::Milliseconds(1);
// Smaller deviations of the wall clock are not taken for steps
constexpr Duration kStepMin = Duration::Milliseconds(500);

}  // namespace

ControlLoop::ControlLoop(Journal& journal, Clock& clock, ControlOptions options)
    : journal_(journal),
      clock_(clock),
      options_(options),
      inbox_(options.inbox_max),
      heartbeats_(options.deaf_min) {}

ControlLoop::~ControlLoop() { Stop(); }

Result<std::unique_ptr<ControlLoop>> ControlLoop::Open(Journal& journal, Clock& clock,
                                                       ControlOptions options) {
  Recovered recovered = GP_TRY(RecoverState(journal, options.formats));
  return Open(journal, clock, std::move(options), std::move(recovered));
}

Result<std::unique_ptr<ControlLoop>> ControlLoop::Open(Journal& journal, Clock& clock,
                                                       ControlOptions options,
                                                       Recovered recovered) {
  std::unique_ptr<ControlLoop> loop(new ControlLoop(journal, clock, std::move(options)));
  GP_CHECK_OK(loop->Begin(std::move(recovered)));
  return loop;
}

Status ControlLoop::Begin(Recovered recovered) {
  state_ = std::move(recovered.state);
  last_at_ = recovered.last_at;
  records_since_snapshot_ = recovered.records;
  written_ = journal_.LastSequence();
  GP_CHECK_OK(CatchUpAudit());
  GP_CHECK_OK(BeginEpoch(recovered.sight));
  if (const Appended begun = Append(); begun.end != AppendEnd::kDurable)
    return Fail(begun.end == AppendEnd::kDeposed ? Conflict(begun.why) : Internal(begun.why));
  has_begun_ = true;
  epoch_ = {state_.lineage, state_.epoch};
  Publish();
  SaveSnapshotWhenDue();
  heartbeats_.Begin(state_, clock_.BootNs());
  return Ok();
}

// Adds the entries that a crash kept from the audit trail, or all of them if the trail is new.
Status ControlLoop::CatchUpAudit() {
  if (options_.audit == nullptr) return Ok();
  AuditTrail& audit = *options_.audit;
  const uint64_t last = journal_.LastSequence();
  const uint64_t base = GP_TRY(journal_.BaseNumber());
  const auto note = [&](uint64_t number, std::string detail) {
    audit.Write(
        {number, ToRfc3339(clock_.Now(), true), "", "", kJournalCut, "", std::move(detail)});
  };
  if (audit.LastNumber() > last)
    note(last, "the journal continues after record " + std::to_string(last));
  if (audit.LastNumber() == 0 && base > 0)
    note(base,
         "earlier entries are missing: the journal begins after record " + std::to_string(base));
  return journal_.ReadAfter(std::max(audit.LastNumber(), base),
                            [&](uint64_t number, std::string_view bytes) -> Status {
                              const Record record = GP_TRY(DecodeRecord(bytes, options_.formats));
                              if (IsAudited(record)) audit.Write(AuditOf(state_, number, record));
                              return Ok();
                            });
}

// Alone it writes what it can.  With others it goes on in the format of those before it, which
// every controller reads.
Status ControlLoop::BeginEpoch(const std::optional<Recovered::Sight>& sight) {
  StartController command{
      options_.policy, 0, options_.begin_lineage, BeginTime(state_.time, sight),
      IsAlone() ? options_.formats.newest : WrittenFormat(state_.format, options_.formats)};
  const Instant at = StampTime();
  // A lineage is taken from the clock, so it is unique even if everything else was lost.
  if (state_.lineage == 0 || options_.begin_lineage) {
    command.lineage = std::max(static_cast<uint64_t>(at.ns), state_.lineage + 1);
  }
  GP_CHECK_OK(DecideAndApply({at, kOwnOrigin, "", command}));
  return Ok();
}

void ControlLoop::Start() {
  thread_ = std::thread([this] {
    if (options_.begin_thread) options_.begin_thread();
    Run();
  });
}

void ControlLoop::Stop() {
  inbox_.Close();
  if (thread_.joinable()) return thread_.join();
  // It was never started: waiting callers are answered all the same.  A controller whose epoch did
  // not begin has none, and must append nothing more.
  while (has_begun_ && !options_.by_hand && Turn()) {
  }
}

// Time continues by the boot clock.  After a reboot or on another machine only the wall clock shows
// how long no controller ran; it may be wrong, but time never goes back.  A controller that
// followed another one needs no wall clock: it knows the time by its own boot clock.
TimeLine ControlLoop::BeginTime(const TimeLine& before,
                                const std::optional<Recovered::Sight>& sight) {
  TimeLine line{clock_.BootId(), before.before_boot, {}};
  const int64_t boot_ns = clock_.BootNs();
  const bool is_same_boot = !before.boot.empty() && line.boot == before.boot;
  if (!is_same_boot && sight) {
    const int64_t now_ns = sight->time.ns + (boot_ns - sight->boot_ns);
    line.before_boot = Duration{std::max(now_ns, last_at_.ns) - boot_ns};
  } else if (!is_same_boot) {
    const Instant now = InstantOf(before, clock_.Now());
    if (now < last_at_) {
      Log(LogLevel::kWarning,
          "the wall clock is " + ToText(last_at_ - now) +
              " behind the journal: time continues from the journal's last record");
    }
    line.before_boot = Duration{std::max(now, last_at_).ns - boot_ns};
  }
  before_boot_ns_ = line.before_boot.ns;
  line.wall = WallNow() - Now();
  line.wall.ns -= line.wall.ns % kMillisecond.ns;
  return line;
}

Instant ControlLoop::StampTime() {
  last_at_ = std::max(last_at_, Now());
  return last_at_;
}

// People and daemons may step the wall clock; only calendars depend on it.
void ControlLoop::FollowWallClock() {
  Duration wall = WallNow() - Now();
  wall.ns -= wall.ns % kMillisecond.ns;
  const Duration by = wall - state_.time.wall;
  if (by < kStepMin && by > Duration{} - kStepMin) return;
  // Rounded to the nearest second
  const int64_t seconds =
      (std::abs(by.ns) + Duration::Milliseconds(500).ns) / Duration::Seconds(1).ns;
  Log(LogLevel::kWarning, "the wall clock was stepped by " + std::string(by.ns < 0 ? "-" : "") +
                              ToText(Duration::Seconds(seconds)));
  Perform(StepWallClock{wall});
}

void ControlLoop::Run() {
  std::optional<Duration> patience = Duration{};
  while (patience) {
    inbox_.Await(*patience);
    patience = Turn();
  }
}

std::optional<Duration> ControlLoop::Turn() {
  const std::lock_guard writing(writing_);
  rests_ = false;
  std::vector<InboxItem> items = inbox_.Take(options_.batch_max);
  const bool is_last = items.empty() && inbox_.closed();
  if (!is_last) {
    RunPass();
    RunTimers();
  }
  Answer(std::move(items));
  Publish();
  RunReads();
  if (is_last) return std::nullopt;
  NoteTimeWhenDue();
  SaveSnapshotWhenDue();
  SweepWhenDue();
  const Duration patience = std::min(UntilNextTimer(), sweeps_ ? kSweepEvery : kTimerMax);
  rests_ = patience > Duration{};
  return patience;
}

// The writer's thread was woken too and does the rest: it plans, publishes and runs reads.
void ControlLoop::WriteInPlace() {
  const std::unique_lock writing(writing_, std::try_to_lock);
  if (!writing || !std::exchange(rests_, false)) return;
  Answer(inbox_.Take(options_.batch_max));
}

Duration ControlLoop::UntilNextTimer() {
  if (plan_needed_ && StampTime() >= state_.quiet_until) return Duration{0};
  Instant deadline = NextDeadline(state_);
  if (plan_again_at_.ns != 0 && (deadline.ns == 0 || plan_again_at_ < deadline))
    deadline = plan_again_at_;
  if (deadline.ns == 0) return kTimerMax;
  return std::clamp(deadline - StampTime(), Duration{0}, kTimerMax);
}

void ControlLoop::Answer(std::vector<InboxItem> items) {
  std::vector<std::pair<WhenDone, Outcome>> answers;
  for (InboxItem& item : items) {
    if (auto* read = std::get_if<ReadItem>(&item)) {
      batch_reads_.push_back(std::move(*read));
    } else {
      const auto& command = std::get<CommandItem>(item);
      answers.emplace_back(command.done, Handle(command));
    }
  }
  Commit();
  // Callers get their answers first; nodes, watchers and readers come after.
  for (const auto& [done, outcome] : answers) {
    if (done) done(outcome, state_);
  }
}

void ControlLoop::RunReads() {
  for (const ReadItem& item : std::exchange(batch_reads_, {})) item.read(state_);
}

Outcome ControlLoop::Handle(const CommandItem& item) {
  Outcome outcome;
  if (item.precondition) outcome.status = item.precondition(state_);
  if (outcome.status) outcome.status = Admit(item);
  if (!outcome.status) return outcome;
  auto events = DecideAndApply({StampTime(), item.origin, item.request, item.command});
  if (!events) {
    outcome.status = Fail(events.error());
    return outcome;
  }
  outcome.events = *std::move(events);
  if (std::holds_alternative<SetBudget>(item.command)) review_not_before_ns_ = 0;
  if (const auto* submit = std::get_if<SubmitJob>(&item.command)) {
    if (!outcome.events.empty()) {
      outcome.job = std::get<JobSubmitted>(outcome.events.front()).job;
    } else {
      outcome.job = state_.jobs.by_request.at(RequestKey(submit->user, item.request.id));
    }
  }
  return outcome;
}

// A repeated request takes no room: the first answer holds.  The jobs of one request are accepted
// together or not at all, in however many batches they come.
Status ControlLoop::Admit(const CommandItem& item) const {
  const auto* raise = std::get_if<RaiseFormat>(&item.command);
  if (raise != nullptr && raise->format > options_.formats.newest)
    return Fail(Conflict("this controller writes no newer format than " +
                         std::to_string(options_.formats.newest)));
  const auto* submit = std::get_if<SubmitJob>(&item.command);
  if (submit == nullptr || !options_.accepts_jobs) return Ok();
  const bool is_repeated = !item.request.id.empty() && state_.jobs.by_request.contains(RequestKey(
                                                           submit->user, item.request.id));
  if (item.admission == nullptr) return is_repeated ? Ok() : options_.accepts_jobs();
  std::optional<Status>& answer = *item.admission;
  // One that the controller before has carried out in part goes on.
  if (!answer) answer = is_repeated ? Ok() : options_.accepts_jobs();
  return is_repeated ? Ok() : *answer;
}

// The record that raises the format is of the one before, so that whoever cannot read on knows why.
uint64_t ControlLoop::FormatFor(const Command& command) const {
  const auto* start = std::get_if<StartController>(&command);
  return start != nullptr ? start->format : WrittenFormat(state_.format, options_.formats);
}

// What users ask for is done as a whole or refused.  What nodes and the controller itself say is
// taken as a program of the older release would: it has defaults for what is new.
Result<std::vector<Event>> ControlLoop::DecideAndApply(Envelope envelope) {
  const uint64_t format = FormatFor(envelope.command);
  const bool is_older = format < kFormatVersion;
  const bool is_users = envelope.origin.principal.starts_with(kUsers);
  if (is_older) envelope = GP_TRY(InFormat(format, std::move(envelope), /*may_lose=*/!is_users));
  std::vector<Event> events = GP_TRY(Decide(state_, envelope));
  if (events.empty()) return events;
  if (is_older) GP_CHECK_OK(CheckInFormat(format, events));
  // What the controller must do by itself cannot be refused.
  const bool is_own =
      envelope.origin.principal == kOwnOrigin || envelope.origin.principal == kSchedulerOrigin;
  Record record{std::move(envelope), events};
  std::string bytes = EncodeRecord(record, format);
  if (!is_own && bytes.size() > journal_.RecordMax())
    return Fail(InvalidArgument("this takes " + std::to_string(bytes.size()) +
                                " bytes in the log, and at most " +
                                std::to_string(journal_.RecordMax()) +
                                " fit: make it smaller, such as by a shorter script"));
  for (const Event& event : events) {
    Apply(state_, record.envelope.at, event);
    plan_needed_ = plan_needed_ || Has(event, kWakesPlanner);
  }
  for (const Violation& violation : CheckDelta(state_, events)) {
    AssertFailed(violation.detail.c_str(), violation.rule.c_str(), __FILE__, __LINE__);
  }
  batch_records_.push_back(std::move(bytes));
  unpublished_.events.insert(unpublished_.events.end(), events.begin(), events.end());
  unpublished_.ends.push_back(unpublished_.events.size());
  if (options_.audit != nullptr && IsAudited(record))
    batch_audited_.emplace_back(batch_records_.size(), std::move(record));
  return events;
}

void ControlLoop::Log(LogLevel level, const std::string& text) const {
  if (options_.log != nullptr) options_.log->Write(level, text);
}

// A command of the controller itself.  Decide has no reason to refuse one, so a refusal is a bug.
void ControlLoop::Perform(Command command) {
  const auto done = DecideAndApply({StampTime(), kOwnOrigin, "", std::move(command)});
  if (!done)
    Log(LogLevel::kError,
        "the controller's own command was refused (a bug): " + done.error().message);
}

void ControlLoop::NoteTimeWhenDue() {
  if (IsAlone() || clock_.BootNs() < note_not_before_ns_) return;
  note_not_before_ns_ = clock_.BootNs() + kNoteTimeEvery.ns;
  StopUnlessDurable(journal_.NoteTime(StampTime()));
}

void ControlLoop::RaiseFormatWhenDue() {
  if (!options_.format_of_all || clock_.BootNs() < raise_not_before_ns_) return;
  raise_not_before_ns_ = clock_.BootNs() + kRaiseEvery.ns;
  const uint64_t format = std::min(options_.format_of_all(), options_.formats.newest);
  if (format <= state_.format) return;
  Log(LogLevel::kInfo, "every controller reads format " + std::to_string(format) +
                           " of the journal: records are written in it from now on");
  Perform(RaiseFormat{format});
}

void ControlLoop::RunTimers() {
  FollowWallClock();
  const Instant deadline = NextDeadline(state_);
  if (deadline.ns != 0 && deadline <= StampTime()) Perform(Tick{});
  ExpireHeartbeats();
  ReviewBudgets(clock_.BootNs());
  RaiseFormatWhenDue();
}

// Reviews one budget per turn, in rounds, because summing up the usage of a large budget takes a
// while.
void ControlLoop::ReviewBudgets(int64_t boot_ns) {
  if (boot_ns < review_not_before_ns_) return;
  const auto next =
      reviewed_ ? state_.queues.budgets.upper_bound(*reviewed_) : state_.queues.budgets.begin();
  if (next == state_.queues.budgets.end()) {
    reviewed_.reset();
    review_not_before_ns_ = boot_ns + kReviewEvery.ns;
    return;
  }
  reviewed_ = next->first;
  Perform(ReviewBudget{*reviewed_});
}

void ControlLoop::ExpireHeartbeats() {
  if (options_.by_hand) Listened();
  if (const Duration gap = heartbeats_.TakeForgiven(); gap.ns > 0) {
    Log(LogLevel::kWarning, "messages of nodes were not read for " + ToText(gap) +
                                ", because this controller was suspended or is overloaded: the "
                                "heartbeats missed then do not count");
  }
  for (const NodeId node : heartbeats_.TakeSilent(state_, clock_.BootNs()))
    Perform(ExpireHeartbeat{node});
}

void ControlLoop::RunPass() {
  const Instant at = StampTime();
  if (!plan_needed_ && (plan_again_at_.ns == 0 || at < plan_again_at_)) return;
  if (at < state_.quiet_until) return;
  plan_needed_ = false;
  Plan plan = planner_.Schedule(state_, at);
  plan_again_at_ = plan.look_again_at;
  const auto commit = [&](Command command) {
    const auto decided = DecideAndApply({at, kSchedulerOrigin, "", std::move(command)});
    // The rules refuse a step of the planner: a bug, but the ledger is safe and other steps go on.
    if (!decided) Log(LogLevel::kError, "plan refused (a bug): " + decided.error().message);
  };
  for (Plan::Step& step : std::exchange(plan.steps, {})) commit(ToCommand(std::move(step)));
  newest_plan_ = std::move(plan);
}

Appended ControlLoop::Append() {
  if (batch_records_.empty()) return {};
  const uint64_t before = written_;
  Appended end = journal_.Append(state_.epoch, before, batch_records_);
  if (end.end != AppendEnd::kDurable) return end;
  written_ += batch_records_.size();
  records_since_snapshot_ += batch_records_.size();
  for (auto& [place, record] : batch_audited_)
    audited_.emplace_back(before + place, std::move(record));
  batch_audited_.clear();
  batch_records_.clear();
  return end;
}

void ControlLoop::Commit() { StopUnlessDurable(Append()); }

void ControlLoop::StopUnlessDurable(const Appended& appended) {
  if (appended.end == AppendEnd::kDurable) return;
  if (options_.end_process) options_.end_process();
  const bool is_deposed = appended.end == AppendEnd::kDeposed;
  Log(LogLevel::kError,
      appended.why + (is_deposed ? "; this controller stops, because another one leads"
                                 : "; the controller stops, because it must not report what is "
                                   "not in the journal"));
  std::_Exit(is_deposed ? kExitDeposed : EXIT_FAILURE);  // no core dump: the disk may be full
}

void ControlLoop::Publish() {
  if (unpublished_.events.empty()) return;
  published_ = std::exchange(unpublished_, {});
  published_.after = written_ - published_.ends.size();
  heartbeats_.OnCommit(published_.events);
  for (CommitObserver* observer : observers_) observer->OnCommit(state_, published_);
  for (const auto& [number, record] : std::exchange(audited_, {}))
    options_.audit->Write(AuditOf(state_, number, record));
}

void ControlLoop::SaveSnapshotWhenDue() {
  if (records_since_snapshot_ < options_.records_per_snapshot) return;
  records_since_snapshot_ = 0;
  const Status saved =
      journal_.SaveSnapshot({journal_.LastSequence(),
                             EncodeState(state_, WrittenFormat(state_.format, options_.formats))});
  if (!saved) return Log(LogLevel::kError, "cannot save a snapshot: " + saved.error().message);
  // Records that the audit trail lacks stay, because it reads them from the journal at the next
  // start.
  const uint64_t audited_until =
      options_.audit != nullptr ? options_.audit->WrittenUntil() : UINT64_MAX;
  const Status dropped = DropOld(journal_, last_at_, {options_.keep_journal, audited_until});
  if (!dropped) Log(LogLevel::kError, "cannot drop old records: " + dropped.error().message);
  sweeps_ = true;
}

// Frees disk space in small steps, so that no caller waits for it.
void ControlLoop::SweepWhenDue() {
  const int64_t boot_ns = clock_.BootNs();
  if (!sweeps_ || boot_ns < sweep_not_before_ns_) return;
  sweep_not_before_ns_ = boot_ns + kSweepEvery.ns;
  const auto more = journal_.Sweep();
  if (!more)
    Log(LogLevel::kError, "cannot free the space of dropped records: " + more.error().message);
  sweeps_ = more && *more;
}

void ControlLoop::Await(std::future<void> answered) {
  while (options_.by_hand &&
         answered.wait_for(std::chrono::seconds(0)) != std::future_status::ready)
    IgnoreResult(Turn(), "the caller waits for its answer");
  answered.wait();
}

Outcome ControlLoop::Execute(Origin origin, ClientRequest request, Command command) {
  std::vector<std::pair<ClientRequest, Command>> one;
  one.emplace_back(std::move(request), std::move(command));
  return ExecuteAll(std::move(origin), std::move(one), {}).front();
}

std::vector<Outcome> ControlLoop::ExecuteAll(
    Origin origin, std::vector<std::pair<ClientRequest, Command>> commands,
    const Precondition& precondition) {
  const size_t count = commands.size();
  std::vector<Outcome> outcomes(count);
  std::promise<void> all_done;
  // Used on the writer's thread only.
  size_t left = count;
  const auto admission = std::make_shared<std::optional<Status>>();
  std::optional<Status> met;
  Precondition once;
  if (precondition) {
    once = [&precondition, &met](const State& state) {
      return met ? *met : met.emplace(precondition(state));
    };
  }
  std::vector<InboxItem> items;
  for (size_t i = 0; i < count; ++i) {
    items.push_back(
        CommandItem{origin, std::move(commands[i].first), std::move(commands[i].second),
                    [&outcomes, &left, &all_done, i](const Outcome& outcome, const State&) {
                      outcomes[i] = outcome;
                      if (--left == 0) all_done.set_value();
                    },
                    once, admission});
  }
  if (const Status pushed = inbox_.Push(std::move(items)); !pushed) {
    for (Outcome& outcome : outcomes) outcome.status = Fail(pushed.error());
    return outcomes;
  }
  WriteInPlace();
  Await(all_done.get_future());
  // An answer without a record tells what the state is, like a read.
  const bool has_read =
      std::ranges::any_of(outcomes, [](const Outcome& outcome) { return outcome.events.empty(); });
  if (const Status leads = has_read ? AwaitLead() : Ok(); !leads) {
    for (Outcome& outcome : outcomes) {
      if (outcome.events.empty()) outcome = {Fail(leads.error()), {}, {}};
    }
  }
  return outcomes;
}

Status ControlLoop::Post(Origin origin, Command command, WhenDone done) {
  std::vector<InboxItem> items;
  items.push_back(CommandItem{std::move(origin), "", std::move(command), std::move(done)});
  return inbox_.Push(std::move(items));
}

Status ControlLoop::Read(const std::function<void(const State&)>& read) {
  std::promise<void> done;
  std::vector<InboxItem> items;
  items.push_back(ReadItem{[&](const State& state) {
    read(state);
    done.set_value();
  }});
  GP_CHECK_OK(inbox_.Push(std::move(items)));
  Await(done.get_future());
  return AwaitLead();
}

Status ControlLoop::AwaitLead() { return IsAlone() ? Ok() : options_.leadership->Await(); }

void ControlLoop::WhenProven(std::function<void()> then) {
  if (IsAlone()) return then();
  options_.leadership->WhenProven(std::move(then));
}

}  // namespace gp
