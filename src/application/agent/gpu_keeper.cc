#include "application/agent/gpu_keeper.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "application/agent/observe.h"

namespace gp {
namespace {

constexpr size_t kSignalsPerMessage = 1'000;
// Signals kept while disconnected; more of them would add no information, as a reset is due in any
// case.
constexpr size_t kUnsentMax = 100'000;
// A hot GPU is tested once it is cool, or after this time, because it should have cooled down.
constexpr Duration kCoolingMax = Duration::Minutes(10);
// A GPU is tested once it has a current reading, or after this time: one that cannot be read fails
// its test, or a later finding reports it.
constexpr Duration kFirstReadingMax = Duration::Minutes(1);
// A passed test is reported together with other tests of the node that pass within this time, so
// that the scheduler places jobs on all these GPUs in one pass, not on each as it returns.
constexpr Duration kReportTogether = Duration::Seconds(2);

bool IsStale(const GpuReading& reading) {
  return !reading.health || reading.age_ns > kReadingStaleAfter.ns;
}

}  // namespace

GpuKeeper::GpuKeeper(GpuKeeperOptions options, GpuWatch& watch, GpuCare& care, Clock& clock)
    : options_(std::move(options)),
      watch_(watch),
      care_(care),
      clock_(clock),
      signals_(options_.first_number, options_.take_kernel_xids != nullptr) {}

GpuVitals GpuKeeper::VitalsOf(int gpu, const GpuHealth& health, Instant now) {
  HeatReading reading;
  reading.temperature_c = health.temperature_c;
  if (static_cast<size_t>(gpu) < options_.heat_limits.size()) {
    reading.slowdown_c = options_.heat_limits[static_cast<size_t>(gpu)].slowdown_c;
    reading.shutdown_c = options_.heat_limits[static_cast<size_t>(gpu)].shutdown_c;
  }
  reading.is_slowed = std::ranges::find(health.throttle_reasons, kHardwareThermalSlowdown) !=
                      health.throttle_reasons.end();
  GpuVitals vitals = ToVitals(health);
  vitals.heat = heat_.Read(gpu, reading, now);
  return vitals;
}

GpuVitals GpuKeeper::VitalsNow(int gpu) const {
  const GpuReading& reading = readings_[static_cast<size_t>(gpu)];
  const auto read = vitals_.find(gpu);
  GpuVitals vitals = read == vitals_.end() ? GpuVitals{} : read->second;
  if (IsStale(reading)) vitals.unread_s = std::max<int64_t>(reading.age_ns / 1'000'000'000, 1);
  return vitals;
}

// Signals are compared by the boot clock, which nobody steps.
void GpuKeeper::Look() {
  const Instant now{clock_.BootNs()};
  if (options_.take_kernel_xids) {
    for (const SeenXid& seen : options_.take_kernel_xids()) signals_.Saw(seen, now);
  }
  for (const XidSighting& seen : watch_.TakeXids()) {
    const bool is_in_instance = seen.gpu_instance && options_.lease_in != nullptr;
    const LeaseId lease =
        is_in_instance ? options_.lease_in(seen.gpu, *seen.gpu_instance) : LeaseId{};
    signals_.Saw({seen.gpu, seen.xid, XidSource::kDriver, lease, AdviceOf(seen.advice),
                  DriverAdvice::kUnknown, true, ""},
                 now);
  }
  readings_ = watch_.Latest();
  for (size_t gpu = 0; gpu < readings_.size(); ++gpu) {
    if (!readings_[gpu].health) continue;
    const GpuVitals& vitals = vitals_[static_cast<int>(gpu)] =
        VitalsOf(static_cast<int>(gpu), *readings_[gpu].health, now);
    signals_.Read(static_cast<int>(gpu), vitals, now);
  }
  std::vector<std::pair<int, HealthCode>> findings;
  for (const GpuObservation& seen : Observations()) {
    for (const HealthFinding& finding : seen.findings)
      findings.emplace_back(seen.gpu, finding.code);
  }
  has_new_findings_ = findings != findings_;
  findings_ = std::move(findings);
  const Instant booted_at{clock_.Now().ns - now.ns};
  for (FaultSignal& signal : signals_.Take(now)) {
    signal.at = booted_at + Duration{signal.at.ns};
    if (unsent_.size() < kUnsentMax) unsent_.push_back(std::move(signal));
  }
}

bool GpuKeeper::MayBegin(const DesiredGpuTask& desired_task, Instant now) {
  if (desired_task.task != GpuTask::kTest) return true;
  const bool is_read = static_cast<size_t>(desired_task.gpu) < readings_.size() &&
                       !IsStale(readings_[static_cast<size_t>(desired_task.gpu)]);
  if (is_read && heat_.Of(desired_task.gpu) == Heat::kCool) return true;
  const Duration waited = now - waiting_since_.try_emplace(desired_task.number, now).first->second;
  return waited >= (is_read ? kCoolingMax : kFirstReadingMax);
}

// A task that is no longer desired goes on, and the next one of its GPU waits for its end: a GPU
// that is tested, and then used, is not reset by an earlier order.
void GpuKeeper::BeginTasks(const std::vector<DesiredGpuTask>& desired, Instant now) {
  const std::vector<GpuCareResult> ended = care_.Results();
  const auto has_ended = [&](uint64_t number) {
    return std::ranges::find(ended, number, &GpuCareResult::number) != ended.end();
  };
  std::erase_if(running_, [&](const auto& one) { return has_ended(one.second); });
  for (const DesiredGpuTask& desired_task : desired) {
    const bool is_free = !running_.contains(desired_task.gpu) && !has_ended(desired_task.number);
    if (!is_free || !MayBegin(desired_task, now)) continue;
    running_[desired_task.gpu] = desired_task.number;
    care_.Begin(desired_task.number, desired_task.gpu,
                desired_task.task == GpuTask::kReset ? GpuCareKind::kReset : GpuCareKind::kTest);
  }
}

bool GpuKeeper::Hold(const DesiredGpuTask& ended, const std::vector<DesiredGpuTask>& desired,
                     Instant now) {
  const bool others_run = std::ranges::any_of(desired, [&](const DesiredGpuTask& other) {
    const auto running = running_.find(other.gpu);
    return other.task == GpuTask::kTest && running != running_.end() &&
           running->second == other.number;
  });
  if (ended.task != GpuTask::kTest || !others_run) return false;
  if (!held_since_) held_since_ = now;
  return now - *held_since_ < kReportTogether;
}

void GpuKeeper::CarryOut(const std::vector<DesiredGpuTask>& desired) {
  const Instant now{clock_.BootNs()};
  BeginTasks(desired, now);
  std::vector<uint64_t> ordered;
  for (const DesiredGpuTask& desired_task : desired) ordered.push_back(desired_task.number);
  std::erase_if(waiting_since_, [&](const auto& one) {
    return std::ranges::find(ordered, one.first) == ordered.end();
  });
  const std::vector<GpuTaskResult> before = std::exchange(results_, {});
  bool is_any_held = false;
  for (const GpuCareResult& result : care_.Results()) {
    const auto task = std::ranges::find(desired, result.number, &DesiredGpuTask::number);
    if (task == desired.end()) continue;
    const bool is_reported =
        std::ranges::find(before, result.number, &GpuTaskResult::number) != before.end();
    const bool is_held = result.ok && !is_reported && Hold(*task, desired, now);
    is_any_held = is_any_held || is_held;
    if (!is_held) results_.push_back({result.gpu, result.number, result.ok, result.detail});
  }
  if (!is_any_held) held_since_.reset();
  care_.KeepOnly(ordered);
  NoteResets(desired, before);
}

std::optional<Instant> GpuKeeper::NextAt() const {
  const std::optional<Instant> signals = signals_.NextAt();
  if (!held_since_) return signals;
  const Instant release = *held_since_ + kReportTogether;
  return signals ? std::min(*signals, release) : release;
}

// Notes resets that have ended since `before`: an error after one is a new error, even in the same
// second.
void GpuKeeper::NoteResets(const std::vector<DesiredGpuTask>& desired,
                           const std::vector<GpuTaskResult>& before) {
  const auto is_reset = [](const std::vector<GpuTaskResult>& results, uint64_t number) {
    return std::ranges::any_of(
        results, [&](const GpuTaskResult& result) { return result.number == number && result.ok; });
  };
  for (const DesiredGpuTask& desired_task : desired) {
    if (desired_task.task == GpuTask::kReset && is_reset(results_, desired_task.number) &&
        !is_reset(before, desired_task.number))
      signals_.Renewed(desired_task.gpu);
  }
}

GpuNews GpuKeeper::NewsFor(uint64_t message) {
  GpuNews news{{}, results_};
  const auto end =
      unsent_.begin() + static_cast<std::ptrdiff_t>(std::min(unsent_.size(), kSignalsPerMessage));
  news.signals.assign(std::make_move_iterator(unsent_.begin()), std::make_move_iterator(end));
  unsent_.erase(unsent_.begin(), end);
  results_sent_ = results_;
  if (!news.signals.empty()) unacknowledged_[message] = news.signals;
  return news;
}

void GpuKeeper::Acknowledged(uint64_t newest) {
  unacknowledged_.erase(unacknowledged_.begin(), unacknowledged_.upper_bound(newest));
}

void GpuKeeper::Disconnected() {
  std::vector<FaultSignal> all;
  for (auto& [message, signals] : unacknowledged_)
    all.insert(all.end(), signals.begin(), signals.end());
  all.insert(all.end(), unsent_.begin(), unsent_.end());
  unsent_ = std::move(all);
  unacknowledged_.clear();
  results_sent_.clear();
}

std::vector<GpuObservation> GpuKeeper::Observations() const {
  std::vector<GpuObservation> seen;
  for (size_t i = 0; i < readings_.size(); ++i) {
    const GpuReading& reading = readings_[i];
    const int gpu = static_cast<int>(i);
    const bool is_awaited = !reading.health && reading.age_ns <= kReadingStaleAfter.ns;
    if (!is_awaited) seen.push_back(ToObservation(gpu, VitalsNow(gpu)));
  }
  return seen;
}

}  // namespace gp
