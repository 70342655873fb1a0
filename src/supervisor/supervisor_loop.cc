// The poll loop: waits for events and passes them on.

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>

#include <algorithm>

#include "supervisor/supervisor.h"

namespace gp {
namespace {

enum Awaited { kSignals, kTimer, kListener, kOfAgent, kOutput, kErrors, kReports, kAllAwaited };

}  // namespace

void Supervisor::Loop() {
  while (state_ != State::kDone) {
    if (status_changed_) link_.Tell(status_);
    status_changed_ = false;
    timer_.Set(NextDeadline());
    WaitForEvents();
  }
}

int64_t Supervisor::NextDeadline() const {
  return std::min({lease_deadline_, stop_deadline_, hook_deadline_, entry_deadline_, kill_again_at_,
                   group_look_at_, reports_next_, hang_deadline_, checkpoint_due_, look_deadline_,
                   MetricsDue()});
}

void Supervisor::WaitForEvents() {
  std::vector<pollfd> events = AwaitedEvents();
  if (poll(events.data(), events.size(), -1) <= 0) return;
  // The start of a program is handled before its end.
  LearnStarts(events);
  PassOn(events);
}

std::vector<pollfd> Supervisor::AwaitedEvents() {
  std::vector<pollfd> events(kAllAwaited);
  const auto watch = [&](Awaited slot, int fd, short what = POLLIN) {
    events[slot] = {.fd = fd, .events = what, .revents = 0};
  };
  watch(kSignals, signals_.get());
  watch(kTimer, timer_.readable());
  watch(kListener, link_.listener());
  watch(kOfAgent, link_.connection(),
        static_cast<short>(link_.has_unsent() ? POLLIN | POLLOUT : POLLIN));
  watch(kOutput, output_.has_value() ? output_->readable() : -1);
  watch(kErrors, errors_.has_value() ? errors_->readable() : -1);
  watch(kReports, reports_.has_value() && reports_next_ == kNever ? reports_->readable() : -1);
  for (const Child& child : children_.list())
    events.push_back({.fd = child.start_failure.get(), .events = POLLIN, .revents = 0});
  return events;
}

void Supervisor::LearnStarts(const std::vector<pollfd>& events) {
  for (size_t i = kAllAwaited; i < events.size(); ++i) {
    Child& child = children_.list()[i - kAllAwaited];
    if (events[i].revents != 0 && Children::LearnStart(child)) OnStartKnown(child);
  }
}

void Supervisor::PassOn(const std::vector<pollfd>& events) {
  if (events[kOutput].revents != 0) output_->Drain();
  if (events[kErrors].revents != 0) errors_->Drain();
  if (events[kReports].revents != 0) TakeReports();
  if (events[kListener].revents != 0) {
    link_.Accept();
    link_.Tell(status_);
  } else if (events[kOfAgent].revents != 0) {
    link_.TellRest();
    OnMessages();
  }
  if (events[kSignals].revents != 0) OnSignals();
  if (events[kTimer].revents != 0) OnTimer();
}

void Supervisor::OnSignals() {
  signalfd_siginfo signal;
  bool children_ended = false;
  while (read(signals_.get(), &signal, sizeof signal) == sizeof signal) {
    if (signal.ssi_signo == SIGCHLD) children_ended = true;
    if (signal.ssi_signo == SIGTERM) {
      Stop(launch_.spec.grace, EndCause::kSupervisorLost,
           "the supervisor got SIGTERM, as when the host shuts down");
    }
  }
  if (!children_ended) return;
  for (Exit& exit : children_.Reap()) OnExit(std::move(exit));
  OnReaped();
}

void Supervisor::OnTimer() {
  timer_.Acknowledge();
  const int64_t now = BootNs();
  if (now >= hook_deadline_) {
    hook_overdue_ = true;
    hook_deadline_ = kNever;
    KillHook();
  }
  if (now >= lease_deadline_) OnLeaseLost();
  if (now >= entry_deadline_) OnNobodyEntered();
  if (now >= reports_next_) reports_next_ = kNever;
  if (now >= MetricsDue()) metrics_->WriteDue(now);
  if (now >= hang_deadline_) OnReportTimeout();
  if (now >= checkpoint_due_) OnCheckpointDue();
  if (now >= look_deadline_) {
    look_deadline_ = kNever;
    children_.Kill(ChildRole::kCheck);
  }
  if (now >= group_look_at_) {
    OnReaped();
    LookAtGroupLater();
  }
  if (now >= stop_deadline_) BeginKilling();
  if (now >= kill_again_at_) {
    if (IsGone()) {
      OnGone();
    } else {
      Kill();
    }
  }
}

void Supervisor::OnNobodyEntered() {
  entry_deadline_ = kNever;
  // The main process has come, or the attempt ends anyway.
  if (state_ != State::kRunning || main_pid_ != 0) return;
  CouldNotStart(EndCause::kCouldNotStart, "nobody entered the interactive job within " +
                                              ToText(launch_.spec.entry_time_limit));
}

void Supervisor::OnMessages() {
  while (const std::optional<ControlMessage> message = link_.Receive()) {
    if (const auto* renew = std::get_if<RenewRequest>(&*message)) {
      SetLease(renew->lease_deadline_boot_ns);
    } else if (const auto* stop = std::get_if<StopRequest>(&*message)) {
      Stop(stop->grace, EndCause::kStopped, "");
    } else if (const auto* exec = std::get_if<ExecRequest>(&*message)) {
      OnExec(*exec);
    } else if (const auto* discard = std::get_if<DiscardRequest>(&*message)) {
      OnDiscard(*discard);
    }
  }
}

}  // namespace gp
