#include "application/agent/reading_changes.h"

#include <algorithm>
#include <cstdlib>

namespace gp {
namespace {

constexpr int64_t kPartOfValue = 20;  // 5 %

// `least`: a smaller difference is none, however small the value.
template <typename Value>
bool HasMoved(const std::optional<Value>& sent, const std::optional<Value>& now, int64_t least) {
  if (!sent || !now) return sent.has_value() != now.has_value();
  const int64_t before = *sent;
  const int64_t by = std::abs(int64_t{*now} - before);
  return by > std::max(least, std::abs(before) / kPartOfValue);
}

bool HaveMoved(const GpuHealth& sent, const GpuHealth& now) {
  return HasMoved(sent.temperature_c, now.temperature_c, 4) ||
         HasMoved(sent.power_watts, now.power_watts, 20) ||
         HasMoved(sent.utilization_percent, now.utilization_percent, 5) ||
         HasMoved(sent.memory_used_mib, now.memory_used_mib, 256) ||
         HasMoved(sent.sm_clock_mhz, now.sm_clock_mhz, 50) ||
         HasMoved(sent.memory_clock_mhz, now.memory_clock_mhz, 50);
}

// All that does not move by itself.
bool AreSame(const GpuHealth& sent, const GpuHealth& now) {
  const auto same_process = [](const GpuProcess& a, const GpuProcess& b) { return a.pid == b.pid; };
  return sent.uuid == now.uuid && sent.lost == now.lost && sent.ecc == now.ecc &&
         sent.row_remap == now.row_remap && sent.recovery_action == now.recovery_action &&
         sent.throttle_reasons == now.throttle_reasons &&
         sent.nvlinks_active == now.nvlinks_active && sent.nvlinks_total == now.nvlinks_total &&
         std::ranges::equal(sent.processes, now.processes, same_process);
}

bool HasChanged(const GpuReading& sent, const GpuReading& now) {
  const auto is_stale = [](const GpuReading& one) { return one.age_ns > kReadingStaleAfter.ns; };
  if (sent.error != now.error || is_stale(sent) != is_stale(now)) return true;
  if (!sent.health || !now.health) return sent.health.has_value() != now.health.has_value();
  return !AreSame(*sent.health, *now.health) || HaveMoved(*sent.health, *now.health);
}

}  // namespace

bool HaveChanged(const std::vector<GpuReading>& sent, const std::vector<GpuReading>& now) {
  return !std::ranges::equal(
      sent, now, [](const GpuReading& a, const GpuReading& b) { return !HasChanged(a, b); });
}

}  // namespace gp
