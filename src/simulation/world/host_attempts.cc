#include "simulation/world/host_attempts.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "domain/model/jobs/array.h"

namespace gp {
namespace {

constexpr Duration kKillTimeMax = Duration::Milliseconds(300);

std::string ValueOf(const LaunchSpec& spec, const std::string& name) {
  for (const std::string& entry : spec.environment) {
    if (entry.starts_with(name + "=")) return entry.substr(name.size() + 1);
  }
  return "";
}

int NumberOf(const LaunchSpec& spec, const std::string& name) {
  return static_cast<int>(ParseCount(ValueOf(spec, name)).value_or(-1));
}

}  // namespace

HostAttempts::HostAttempts(size_t host, const GpuHardware& hardware, Timeline& timeline,
                           HostClock& clock, Programs& programs, Savings& savings, Rng& rng,
                           std::function<void()> changed)
    : host_(host),
      hardware_(hardware),
      timeline_(timeline),
      clock_(clock),
      programs_(programs),
      savings_(savings),
      rng_(rng),
      changed_(std::move(changed)) {}

HostAttempts::Attempt* HostAttempts::Find(const std::string& key) {
  const auto found = attempts_.find(key);
  return found == attempts_.end() ? nullptr : &found->second;
}

void HostAttempts::Later(const Attempt& attempt, Duration wait,
                         std::function<void(Attempt&)> what) {
  timeline_.After(wait, [this, key = attempt.status.key, what = std::move(what)] {
    Attempt* then = Find(key);
    if (then != nullptr && then->stage != Stage::kOver && then->stage != Stage::kOrphaned)
      what(*then);
  });
}

Status HostAttempts::Start(const LaunchSpec& spec) {
  if (attempts_.contains(spec.key)) return Fail(Conflict(spec.key + " is known already"));
  if (timeline_.now() < starts_fail_until_ && rng_.Chance(1, 2))
    return Fail(Internal("no supervisor: out of memory"));
  Attempt& attempt = attempts_[spec.key];
  attempt.spec = spec;
  attempt.status.key = spec.key;
  attempt.status.launch = std::make_shared<const LaunchSpec>(spec);
  attempt.lease = ParseLeaseKey(spec.key).value_or(LeaseId{});
  if (spec.stop_on_lease_loss) attempt.lease_deadline_ns = spec.lease_deadline_boot_ns;
  AwaitLeaseEnd(attempt);
  const Duration prolog = rng_.Chance(1, 20) ? Duration::Seconds(rng_.Between(1, 15))
                                             : Duration::Milliseconds(rng_.Between(1, 40));
  Later(attempt, prolog, [this](Attempt& then) { Execute(then.status.key); });
  return Ok();
}

Program HostAttempts::ProgramOf(const Attempt& attempt) const {
  Program program;
  program.lease = attempt.lease;
  program.job = ParseOneJob(ValueOf(attempt.spec, "GP_JOB_ID")).value_or(JobId{});
  program.attempt = NumberOf(attempt.spec, "GP_ATTEMPT");
  program.rank = NumberOf(attempt.spec, "GP_NODE_RANK");
  program.ranks = NumberOf(attempt.spec, "GP_NNODES");
  program.plan = static_cast<size_t>(NumberOf(attempt.spec, "PLAN"));
  program.host = host_;
  program.uid = attempt.spec.uid;
  program.cpus = attempt.spec.cpus;
  program.mig = attempt.spec.mig;
  program.visible_gpus = ValueOf(attempt.spec, "CUDA_VISIBLE_DEVICES");
  program.image = ValueOf(attempt.spec, "GP_IMAGE_DIGEST");
  program.port = NumberOf(attempt.spec, "GP_MASTER_PORT");
  program.is_port_leased = !ValueOf(attempt.spec, "GP_PORTS").empty();
  for (const DeviceNumber& device : attempt.spec.devices) {
    const int card = hardware_.CardWithMinor(device.minor);
    if (card >= 0) program.gpus.push_back(card);
  }
  std::ranges::sort(program.gpus);
  return program;
}

void HostAttempts::Execute(const std::string& key) {
  Attempt& attempt = *Find(key);
  if (attempt.stage != Stage::kPreparing) return;
  // It was ordered to stop, or its lease ran out, during the prolog.
  if (attempt.status.cause != EndCause::kExit) return BeginKilling(attempt);
  if (attempt.lease_deadline_ns != 0 && clock_.BootNs() >= attempt.lease_deadline_ns) {
    attempt.status.cause = EndCause::kLeaseLost;
    return BeginKilling(attempt);
  }
  if (timeline_.now() < starts_fail_until_) {
    attempt.status.cause = EndCause::kPlatformFault;
    return BeginKilling(attempt);
  }
  attempt.stage = Stage::kRunning;
  attempt.status.phase = AttemptPhase::kRunning;
  attempt.status.started_at = clock_.Now();
  attempt.status.started_boot_ns = clock_.BootNs();
  const Program program = ProgramOf(attempt);
  attempt.step = std::max(NumberOf(attempt.spec, "GP_RESUME_STEP"), 0);
  savings_.Begin(program.job, ValueOf(attempt.spec, "GP_RESUME_FROM"), attempt.step);
  programs_.Start(program, *this);
  AwaitProgress(attempt);
  AwaitSave(attempt);
  changed_();
}

void HostAttempts::AwaitProgress(const Attempt& attempt) {
  if (attempt.spec.hang_after.ns == 0) return;
  Later(attempt, attempt.spec.hang_after, [this](Attempt& then) {
    if (then.stage != Stage::kRunning) return;
    if (programs_.ReportsProgress(then.lease)) return AwaitProgress(then);
    then.status.progress.is_hung = true;
    changed_();
  });
}

void HostAttempts::AwaitSave(const Attempt& attempt) {
  const Program& program = *programs_.Find(attempt.lease);
  const Duration every = programs_.PlanOf(program).saves_every;
  if (every.ns == 0 || program.rank != 0) return;
  Later(attempt, every, [this](Attempt& then) {
    if (then.stage != Stage::kRunning) return;
    if (programs_.GetsOn(then.lease)) Save(then);
    AwaitSave(then);
  });
}

void HostAttempts::Save(Attempt& attempt) {
  AttemptProgress& progress = attempt.status.progress;
  CheckpointReport report;
  report.number = progress.checkpoints.empty() ? 1 : progress.checkpoints.back().number + 1;
  report.step = progress.step = ++attempt.step;
  report.path = ValueOf(attempt.spec, "GP_CHECKPOINT_DIR") + "/" + std::to_string(report.step);
  report.is_complete = rng_.Chance(9, 10);
  report.is_scored = rng_.Chance(1, 2);
  report.score = rng_.Between(-3, 3);
  report.at = progress.at = clock_.Now();
  savings_.Write(programs_.Find(attempt.lease)->job, report.path, report.step, report.is_complete);
  progress.checkpoints.push_back(std::move(report));
  if (progress.checkpoints.size() > kCheckpointReportsMax)
    progress.checkpoints.erase(progress.checkpoints.begin());
  changed_();
}

// Skips the paths of the last call: they are gone already, or were written again.
void HostAttempts::Discard(const std::string& key, const std::string&,
                           const std::vector<std::string>& paths) {
  Attempt* attempt = Find(key);
  if (attempt == nullptr || attempt->stage != Stage::kRunning) return;
  for (const std::string& path : paths) {
    if (std::ranges::find(attempt->discarded, path) == attempt->discarded.end())
      savings_.Remove(path);
  }
  attempt->discarded = paths;
}

void HostAttempts::Renew(const std::string& key, int64_t lease_deadline_boot_ns) {
  Attempt* attempt = Find(key);
  if (attempt == nullptr || !attempt->spec.stop_on_lease_loss || attempt->is_lease_lost ||
      attempt->stage > Stage::kStopping)
    return;
  attempt->lease_deadline_ns = lease_deadline_boot_ns;
}

void HostAttempts::AwaitLeaseEnd(const Attempt& attempt) {
  if (!attempt.spec.stop_on_lease_loss || attempt.lease_deadline_ns == 0) return;
  const Duration wait{std::max<int64_t>(attempt.lease_deadline_ns - clock_.BootNs(), 0) +
                      1'000'000};
  Later(attempt, wait, [this](Attempt& then) { CheckLease(then.status.key); });
}

void HostAttempts::CheckLease(const std::string& key) {
  Attempt& attempt = *Find(key);
  if (attempt.is_lease_lost || attempt.stage > Stage::kStopping) return;
  if (clock_.BootNs() < attempt.lease_deadline_ns) return AwaitLeaseEnd(attempt);
  attempt.is_lease_lost = true;
  Stop(attempt, std::min(attempt.spec.grace, kLeaseGraceMax), EndCause::kLeaseLost);
}

void HostAttempts::Stop(const std::string& key, Duration grace) {
  if (Attempt* attempt = Find(key)) Stop(*attempt, grace, EndCause::kStopped);
}

void HostAttempts::Stop(Attempt& attempt, Duration grace, EndCause cause) {
  const Instant by = timeline_.now() + grace;
  const bool is_stopping = attempt.stage == Stage::kStopping;
  if (is_stopping) {
    attempt.stop_by = std::min(attempt.stop_by, by);
  } else {
    if (attempt.stage != Stage::kPreparing && attempt.stage != Stage::kRunning) return;
    if (attempt.status.cause != EndCause::kExit) return;
    attempt.status.cause = cause;
    if (attempt.stage == Stage::kPreparing) return;  // the end of the prolog continues
    attempt.stop_by = by;
    if (grace.ns <= 0) return BeginKilling(attempt);
    attempt.stage = Stage::kStopping;
  }
  Later(attempt, attempt.stop_by - timeline_.now(), [this](Attempt& then) {
    if (then.stage == Stage::kStopping && timeline_.now() >= then.stop_by) BeginKilling(then);
  });
  const Program* program = programs_.Find(attempt.lease);
  if (is_stopping || program == nullptr || programs_.PlanOf(*program).ignores_stop) return;
  Later(attempt, Duration::Milliseconds(rng_.Between(1, 3'000)), [this](Attempt& then) {
    if (then.stage == Stage::kStopping) BeginKilling(then);
  });
}

void HostAttempts::BeginKilling(Attempt& attempt) {
  attempt.stage = Stage::kKilling;
  const bool runs =
      programs_.Find(attempt.lease) != nullptr && programs_.Find(attempt.lease)->is_alive;
  if (!runs) return Finish(attempt);
  const Duration time{static_cast<int64_t>(rng_.Below(static_cast<uint64_t>(kKillTimeMax.ns)))};
  Later(attempt, time, [this](Attempt& then) {
    then.status.signal = 9;
    programs_.End(then.lease, false, 0, 9);
    Finish(then);
  });
}

void HostAttempts::Finish(Attempt& attempt) {
  attempt.stage = Stage::kOver;
  attempt.status.phase = AttemptPhase::kExited;
  attempt.status.ended_at = clock_.Now();
  attempt.status.ended_boot_ns = clock_.BootNs();
  changed_();
}

void HostAttempts::EndProgram(LeaseId lease, const ProgramPlan& plan) {
  Attempt* attempt = Find(KeyOf(lease));
  if (attempt == nullptr ||
      (attempt->stage != Stage::kRunning && attempt->stage != Stage::kStopping))
    return;
  attempt->status.exit_code = plan.exit_code;
  attempt->status.signal = plan.signal;
  const Program program = *programs_.Find(lease);
  programs_.End(lease, true, plan.exit_code, plan.signal);
  if (plan.xid != 0 && raise_) raise_(program.gpus.front(), lease, plan.xid);
  Finish(*attempt);
}

void HostAttempts::KillProgram(LeaseId lease, EndCause cause, int signal) {
  Attempt* attempt = Find(KeyOf(lease));
  if (attempt == nullptr || attempt->stage != Stage::kRunning) return;
  attempt->status.cause = cause;
  attempt->status.signal = signal;
  programs_.End(lease, false, 0, signal);
  Finish(*attempt);
}

// The main process dies with the supervisor; the agent finds the rest.
void HostAttempts::KillSupervisor(LeaseId lease) {
  Attempt* attempt = Find(KeyOf(lease));
  if (attempt == nullptr || attempt->stage == Stage::kOver || attempt->stage == Stage::kOrphaned)
    return;
  attempt->stage = Stage::kOrphaned;
  if (programs_.Find(lease) != nullptr) programs_.End(lease, false, 0, 9);
  changed_();
}

void HostAttempts::PowerOff(bool wiped) {
  for (auto& [key, attempt] : attempts_) {
    if (attempt.stage == Stage::kOver) continue;
    attempt.stage = Stage::kOrphaned;
    if (programs_.Find(attempt.lease) != nullptr) programs_.End(attempt.lease, false, 0, 9);
  }
  if (wiped) attempts_.clear();
}

std::vector<AttemptStatus> HostAttempts::Observe() {
  std::vector<AttemptStatus> all;
  for (auto& [key, attempt] : attempts_) {
    if (attempt.stage == Stage::kOrphaned) {
      attempt.status.cause = EndCause::kSupervisorLost;
      attempt.status.message = "the attempt's supervisor died";
      attempt.status.phase = AttemptPhase::kExited;
      attempt.status.ended_at = clock_.Now();
      attempt.status.ended_boot_ns = clock_.BootNs();
      attempt.stage = Stage::kOver;
    }
    all.push_back(attempt.status);
  }
  return all;
}

Status HostAttempts::Forget(const std::string& key) {
  const Attempt* attempt = Find(key);
  if (attempt == nullptr) return Ok();
  if (attempt->stage != Stage::kOver) return Fail(Conflict("attempt " + key + " is still running"));
  attempts_.erase(key);
  return Ok();
}

}  // namespace gp
