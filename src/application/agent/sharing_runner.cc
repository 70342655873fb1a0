#include "application/agent/sharing_runner.h"

#include <sys/timerfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "base/ignore_result.h"

namespace gp {
namespace {

// The report of an end waits up to this time, until it is known whether the server had failed
// first.
constexpr Duration kVerdictMax = Duration::Seconds(3);
// Time for the driver's report of a fatal error to arrive; it says which client caused the error.
constexpr Duration kReportMax = Duration::Seconds(2);

const GpuPart* MpsPartOf(const std::vector<GpuPart>& parts) {
  return !parts.empty() && parts.front().mps ? &parts.front() : nullptr;
}

bool HasFailed(const AttemptStatus& status) {
  return status.phase == AttemptPhase::kExited && status.cause == EndCause::kExit &&
         (status.exit_code != 0 || status.signal != 0);
}

}  // namespace

SharingRunner::SharingRunner(SharingOptions options, AttemptRunner& runner, Clock& clock)
    : WrappingRunner(runner, "its MPS daemon"),
      options_(std::move(options)),
      clock_(clock),
      guard_(options_.memory),
      timer_fd_(timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {
  WakeAlsoBy(timer_fd_);
  Adopt(Look());  // before anything is started: a GPU may have its daemon already
}

SharingRunner::~SharingRunner() { close(timer_fd_); }

Status SharingRunner::Start(const LaunchSpec& spec) {
  if (pending_.Knows(spec.key)) return Fail(Conflict("attempt " + spec.key + " exists already"));
  const GpuPart* part = MpsPartOf(spec.parts);
  if (part != nullptr && options_.mps_control.empty())
    return Fail(Unsupported("there is no nvidia-cuda-mps-control on this node"));
  pending_.Add(spec);
  StartWaiting();
  if (pending_.Waits(spec.key)) SetTimer(1);  // its daemon may need to be asked at once
  // If the start did not have to wait, a failure is returned at once.
  const auto failure = pending_.TakeFailure(spec.key);
  return failure ? Fail(Internal(*failure)) : Ok();
}

// Whether no other user's daemon is on its GPUs and its own daemon is ready; starts that if needed.
bool SharingRunner::MayStart(const LaunchSpec& spec) {
  const GpuPart* part = MpsPartOf(spec.parts);
  for (const DeviceNumber& device : spec.devices) {
    const auto daemon = daemons_.find(device.minor);
    if (device.major != options_.gpu_major || daemon == daemons_.end()) continue;
    if (part == nullptr || part->minor != device.minor || daemon->second->uid() != spec.uid)
      return false;
  }
  if (part == nullptr) return true;
  const auto daemon = daemons_.find(part->minor);
  if (daemon != daemons_.end()) return daemon->second->Covers({part->percent, part->memory_mib});
  if (const Status started = StartDaemon(spec); !started)
    pending_.GiveUp(spec, EndCause::kPlatformFault, "its MPS daemon: " + started.error().message);
  return false;
}

bool SharingRunner::StartWaiting() {
  bool any = false;
  for (const LaunchSpec& spec : pending_.Waiting()) {
    if (!MayStart(spec)) continue;
    pending_.Leave(spec.key);
    any = true;
    if (const Status started = runner_.Start(spec); !started)
      pending_.GiveUp(spec, EndCause::kPlatformFault, started.error().message);
  }
  return any;
}

void SharingRunner::Stop(const std::string& key, Duration grace) {
  if (pending_.Stop(key)) return;
  held_.erase(key);  // the caller ends it, so the cause need not be found
  runner_.Stop(key, grace);
}

SharingRunner::Statuses SharingRunner::Look() {
  Statuses statuses;
  for (AttemptStatus& status : runner_.Observe()) statuses[status.key] = std::move(status);
  return statuses;
}

std::vector<AttemptStatus> SharingRunner::Observe() {
  uint64_t ticks = 0;
  IgnoreResult(read(timer_fd_, &ticks, sizeof ticks), "only the wake-up matters");
  Statuses statuses = Look();
  Adopt(statuses);
  StepDaemons(statuses);
  // A started attempt must never be missing from the result, or it would be started again
  if (StartWaiting()) statuses = Look();
  WatchMemory(statuses);
  clients_.clear();
  for (const auto& [key, status] : statuses) {
    if (const GpuPart* part = MpsPartOf(PartsOf(status))) ++clients_[part->minor];
  }
  std::vector<AttemptStatus> seen;
  for (auto& [key, status] : statuses) {
    if (!IsMpsDaemon(key)) seen.push_back(Judge(std::move(status)));
  }
  pending_.AppendTo(seen);
  ArmTimer();
  return seen;
}

// The status to report for an attempt: holds its end back until the cause is known.
AttemptStatus SharingRunner::Judge(AttemptStatus status) {
  if (status.phase != AttemptPhase::kExited) return status;
  if (HasFailed(status) && MpsPartOf(PartsOf(status)) != nullptr && IsHeld(status)) {
    status.phase = AttemptPhase::kRunning;
    status.exit_code = status.signal = 0;
    status.ended_at = {};
    return status;
  }
  const auto failure = failures_.find(status.key);
  status.is_mps_failed =
      HasFailed(status) && failure != failures_.end() && failure->second.is_of_server;
  const auto doom = doomed_.find(status.key);
  // An attempt that had exited on its own in the meantime keeps its own result.
  if (doom == doomed_.end() || (status.cause != EndCause::kStopped && !HasFailed(status)))
    return status;
  status.cause = doom->second.cause;
  status.message = doom->second.message;
  status.is_gpu_memory_used_up = status.cause == EndCause::kExit;
  if (status.cause == EndCause::kExit && !HasFailed(status)) status.signal = SIGKILL;
  return status;
}

// A failed client may have lost its server, or failed by the error of another client.  Its end is
// held back until the daemon was checked.
bool SharingRunner::IsHeld(const AttemptStatus& status) {
  const int minor = PartsOf(status).front().minor;
  const auto daemon = daemons_.find(minor);
  const int64_t now = clock_.BootNs();
  const auto [failure, is_new] = failures_.try_emplace(status.key, Failure{minor, now});
  failure->second.has_neighbours |= clients_[minor] > 1;
  if (is_new && daemon != daemons_.end() && !doomed_.contains(status.key)) {
    held_.insert(status.key);
    daemon->second->LookSoon();
  }
  if (!held_.contains(status.key)) return false;
  const bool is_faulty = daemon != daemons_.end() && daemon->second->IsFaulty();
  failure->second.is_of_server |=
      failure->second.has_neighbours && (is_faulty || MayBeOfAnother(failure->second));
  const int64_t held_ns = now - failure->second.at_ns;
  const bool was_asked =
      daemon != daemons_.end() && daemon->second->looked_at_ns() >= failure->second.at_ns;
  const bool awaits_report =
      was_asked && held_ns < kReportMax.ns && (is_faulty || MayBeOfAnother(failure->second));
  const bool is_over = doomed_.contains(status.key) || daemon == daemons_.end() ||
                       held_ns >= kVerdictMax.ns || (was_asked && !awaits_report);
  if (is_over) held_.erase(status.key);
  return !is_over;
}

// Several clients of one server failed together; the driver's report says which one caused it.
bool SharingRunner::MayBeOfAnother(const Failure& failure) const {
  return std::ranges::count_if(failures_, [&](const auto& entry) {
           return entry.second.minor == failure.minor &&
                  std::abs(entry.second.at_ns - failure.at_ns) < kReportMax.ns;
         }) > 1;
}

Status SharingRunner::Forget(const std::string& key) {
  if (pending_.Forget(key)) return Ok();
  GP_CHECK_OK(runner_.Forget(key));
  doomed_.erase(key);
  failures_.erase(key);
  held_.erase(key);
  return Ok();
}

void SharingRunner::ArmTimer() {
  std::optional<int64_t> next;
  const auto take = [&next](int64_t at) { next = std::min(next.value_or(at), at); };
  for (const auto& [minor, daemon] : daemons_) {
    if (const auto at = daemon->NextAt()) take(*at);
  }
  constexpr int64_t kHeldLookNs = 50'000'000;
  if (!held_.empty()) take(clock_.BootNs() + kHeldLookNs);
  SetTimer(next.value_or(0));
}

// At this time since boot; 0: never.
void SharingRunner::SetTimer(int64_t at_ns) {
  itimerspec when = {};
  when.it_value = {at_ns / 1'000'000'000, at_ns % 1'000'000'000};
  timerfd_settime(timer_fd_, TFD_TIMER_ABSTIME, &when, nullptr);
}

}  // namespace gp
