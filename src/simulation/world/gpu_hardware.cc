#include "simulation/world/gpu_hardware.h"

#include <algorithm>
#include <iterator>

namespace gp {
namespace {

constexpr int kFellOffTheBus = 79;

int TemperatureOf(Warmth warmth) {
  switch (warmth) {
    case Warmth::kCool: return 50;
    case Warmth::kWarm: return *kHeatLimits.slowdown_c - 1;
    case Warmth::kSlowed: return *kHeatLimits.slowdown_c + 1;
    case Warmth::kCritical: return *kHeatLimits.shutdown_c;
  }
  return 0;
}

}  // namespace

bool IsFatalXid(int xid) {
  static constexpr int kFatal[] = {46, 48, 62, 64, 74, 79, 95, 109, 119, 120, 140, 143};
  return std::ranges::find(kFatal, xid) != std::end(kFatal);
}

void GpuHardware::Raise(int gpu, int xid, LeaseId lease, std::optional<int> instance, bool is_fatal) {
  GpuDamage& damage = At(gpu);
  if (is_fatal) {
    damage.needs_reset = true;
    if (plan_.tells_advice) damage.advice = xid == kFellOffTheBus ? RecoveryAction::kNodeReboot : RecoveryAction::kGpuReset;
  }
  const bool is_blind = damage.blind_since.ns != 0;
  const auto advice = plan_.tells_advice ? std::optional(damage.advice) : std::nullopt;
  if (!is_blind) events_.push_back({gpu, xid, instance, instance, advice});
  if (!plan_.has_kernel_log) return;
  SeenXid line;
  line.gpu = gpu;
  line.xid = xid;
  line.source = XidSource::kKernelLog;
  line.lease = lease;
  line.text = "NVRM: Xid " + std::to_string(xid);
  lines_.push_back(line);
}

void GpuHardware::PowerCycle() {
  for (GpuDamage& gpu : gpus_) {
    const bool is_broken = gpu.is_broken;
    gpu = {};
    gpu.is_broken = is_broken;
  }
  events_.clear();
  lines_.clear();
}

std::vector<GpuReading> GpuHardware::Read() const {
  std::vector<GpuReading> readings;
  for (size_t i = 0; i < gpus_.size(); ++i) {
    const GpuDamage& gpu = gpus_[i];
    GpuHealth health;
    health.index = static_cast<int>(i);
    health.lost = gpu.is_lost;
    if (plan_.tells_advice) health.recovery_action = gpu.advice;
    health.temperature_c = TemperatureOf(gpu.warmth);
    if (gpu.warmth >= Warmth::kSlowed) health.throttle_reasons = {kHardwareThermalSlowdown};
    GpuReading reading{health, 0, ""};
    if (gpu.blind_since.ns != 0) reading.age_ns = (timeline_.now() - gpu.blind_since).ns;
    readings.push_back(std::move(reading));
  }
  return readings;
}

}  // namespace gp
