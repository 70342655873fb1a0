#include "domain/node/fault_signals.h"

#include <algorithm>
#include <utility>

namespace gp {
namespace {

constexpr Duration kSameError = Duration::Seconds(5);
// For one number and GPU in a second; more reports add no information.
constexpr int kSameInASecondMax = 10;
constexpr Duration kAwaitLine = Duration::Milliseconds(100);
constexpr int kFellOffTheBus = 79;

// The log line names the program; the driver gives its advice.
void Join(SeenXid& all, const SeenXid& more) {
  if (all.lease.value == 0) all.lease = more.lease;
  if (!Asks(all.advice)) all.advice = more.advice;
  if (!Asks(all.reported)) all.reported = more.reported;
  if (more.source == XidSource::kKernelLog) {
    all.is_fatal = more.is_fatal;
    all.is_of_peer = more.is_of_peer;
    all.text = more.text;
  }
}

// The driver does not report the severity, and only the kernel log reports fabric errors.
bool IsLike(const SeenXid& a, const SeenXid& b) {
  return a.gpu == b.gpu && a.kind == b.kind && a.xid == b.xid &&
         (a.kind != SignalKind::kFabric || a.is_fatal == b.is_fatal);
}

bool IsLoss(const SeenXid& seen) {
  return seen.kind == SignalKind::kLost ||
         (seen.kind == SignalKind::kXid && seen.xid == kFellOffTheBus);
}

bool IsRecent(const std::map<int, Instant>& seen_at, int gpu, Instant at) {
  const auto seen = seen_at.find(gpu);
  return seen != seen_at.end() && at - seen->second <= kSameError;
}

}  // namespace

FaultSignal FaultSignals::Number(FaultSignal signal) {
  signal.number = next_number_++;
  return signal;
}

void FaultSignals::Saw(const SeenXid& seen, Instant at) {
  const bool by_kernel = seen.source == XidSource::kKernelLog;
  std::erase_if(open_,
                [&](const Open& one) { return one.is_reported && at - one.at > kSameError; });
  // The same error from the other source: the first unpaired report of each source belongs
  // together.
  const auto twin = std::ranges::find_if(open_, [&](const Open& one) {
    return IsLike(one.seen, seen) && !(by_kernel ? one.by_kernel : one.by_driver) &&
           at - one.at <= kSameError;
  });
  if (seen.gpu >= 0) xids_at_[seen.gpu] = at;
  if (IsLoss(seen)) {
    // A driver that cannot start a GPU reports this on every request for it.
    const bool is_reported = seen.kind == SignalKind::kLost && IsRecent(fallen_at_, seen.gpu, at);
    fallen_at_[seen.gpu] = at;
    if (is_reported) return;
  }
  if (twin != open_.end()) {
    (by_kernel ? twin->by_kernel : twin->by_driver) = true;
    if (!twin->is_reported) {
      Join(twin->seen, seen);
      twin->report_at = at;
    }
    return;
  }
  const auto alike = std::ranges::count_if(open_, [&](const Open& one) {
    return IsLike(one.seen, seen) && at - one.at < Duration::Seconds(1);
  });
  if (alike >= kSameInASecondMax) return;
  const bool waits = has_kernel_log_ && !by_kernel;
  open_.push_back({seen, at, waits ? at + kAwaitLine : at, !by_kernel, by_kernel, false});
}

void FaultSignals::Read(int gpu, const GpuVitals& vitals, Instant at) {
  const GpuVitals before = std::exchange(vitals_[gpu], vitals);
  const bool is_explained = IsRecent(xids_at_, gpu, at);
  FaultSignal signal;
  signal.gpu = gpu;
  signal.at = at;
  signal.advice = vitals.advice;
  const auto tell = [&](SignalKind kind, const char* text) {
    signal.kind = kind;
    signal.text = text;
    ready_.push_back(Number(signal));
  };
  if (vitals.lost && !before.lost && !IsRecent(fallen_at_, gpu, at))
    tell(SignalKind::kLost, "the driver says that it fell off the bus");
  if (vitals.remap_failed && !before.remap_failed)
    tell(SignalKind::kRemapFailed, "a memory row could not be remapped");
  if (vitals.heat == Heat::kHot && before.heat < Heat::kHot)
    tell(SignalKind::kHot, "the hardware has reduced its clocks for a long time because of heat");
  if (vitals.heat == Heat::kCritical && before.heat < Heat::kCritical)
    tell(SignalKind::kCritical, "its temperature is close to its shutdown limit");
  // An XID includes the advice if it was there already. Advice that appears just after an XID is
  // reported only if it stays.
  DriverAdvice& reported = advised_[gpu];
  if (!Asks(vitals.advice)) reported = DriverAdvice::kUnknown;
  if (!Asks(vitals.advice) || vitals.advice == reported || is_explained) return;
  reported = vitals.advice;
  tell(SignalKind::kAdvice, "");
}

void FaultSignals::Renewed(int gpu) {
  std::erase_if(open_, [&](const Open& one) { return one.is_reported && one.seen.gpu == gpu; });
  xids_at_.erase(gpu);
  fallen_at_.erase(gpu);
}

std::vector<FaultSignal> FaultSignals::Take(Instant at) {
  std::vector<FaultSignal> signals = std::exchange(ready_, {});
  for (Open& one : open_) {
    if (one.is_reported || one.report_at > at) continue;
    one.is_reported = true;
    if (Asks(one.seen.advice)) advised_[one.seen.gpu] = one.seen.advice;
    signals.push_back(
        Number({0, one.seen.gpu, one.seen.kind, one.seen.xid, one.seen.lease, one.seen.advice,
                one.seen.reported, one.seen.is_fatal, one.at, one.seen.text, one.seen.is_of_peer}));
  }
  return signals;
}

std::optional<Instant> FaultSignals::NextAt() const {
  std::optional<Instant> next;
  if (!ready_.empty()) return Instant{};
  for (const Open& one : open_) {
    if (!one.is_reported && (!next || one.report_at < *next)) next = one.report_at;
  }
  return next;
}

}  // namespace gp
