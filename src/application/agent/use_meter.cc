#include "application/agent/use_meter.h"

#include <algorithm>

namespace gp {
namespace {

constexpr int64_t kSpanMaxNs = Duration::Seconds(5).ns;  // longer: the process was suspended
constexpr int64_t kReadingAgeMaxNs = Duration::Seconds(3).ns;

// Adds a reading of a GPU that the lease has to itself, if it was taken within the lease.  Returns
// whether the GPU was idle.
bool AddGpu(const GpuReading& reading, int64_t had_for_ns, int64_t span_ms, GpuUse& use) {
  if (!reading.health || reading.age_ns > std::min(kReadingAgeMaxNs, had_for_ns)) return false;
  const auto percent = reading.health->utilization_percent;
  if (percent) {
    use.seen_ms += span_ms;
    use.busy_ms += span_ms * std::clamp(*percent, 0, 100) / 100;
  }
  if (const auto memory = reading.health->memory_used_mib)
    use.memory_mib = std::max(use.memory_mib, *memory);
  return percent && *percent == 0;
}

}  // namespace

void UseMeter::Look(const Lease& lease, const HostUse& host,
                    const std::vector<GpuReading>& readings, int64_t now_ns, Instant at) {
  const auto [found, is_new] = leases_.try_emplace(lease.id);
  Metered& metered = found->second;
  if (is_new) {
    metered.use.since = at;
    for (const GpuGrant& grant : lease.gpus) metered.use.gpus.push_back({.gpu = grant.gpu});
    metered.cpu_ms = std::max<int64_t>(host.cpu_ms, 0);
    metered.began_ns = metered.looked_ns = metered.idle_since_ns = now_ns;
    return;
  }
  const int64_t span_ns = now_ns - metered.looked_ns;
  const int64_t span_ms = span_ns / 1'000'000;
  if (span_ms == 0) return;
  metered.looked_ns += span_ms * 1'000'000;
  metered.use.memory_mib = std::max(metered.use.memory_mib, host.memory_mib);
  if (host.cpu_ms >= 0) {  // the kernel's total, which misses nothing
    metered.use.cpu_ms = std::max(metered.use.cpu_ms, host.cpu_ms - metered.cpu_ms);
    metered.use.cpu_seen_ms += span_ms;
  }
  bool is_idle = span_ns <= kSpanMaxNs && lease.mode == GpuMode::kWhole;
  if (is_idle) {
    for (GpuUse& gpu : metered.use.gpus) {
      const auto index = static_cast<size_t>(gpu.gpu);
      is_idle &= index < readings.size() &&
                 AddGpu(readings[index], now_ns - metered.began_ns, span_ms, gpu);
    }
  }
  if (!is_idle) metered.idle_since_ns = now_ns;
}

void UseMeter::Keep(const std::set<LeaseId>& leases) {
  std::erase_if(leases_, [&](const auto& one) { return !leases.contains(one.first); });
}

const RankUse* UseMeter::Of(LeaseId lease) const {
  const auto found = leases_.find(lease);
  return found == leases_.end() ||
                 (found->second.use.cpu_seen_ms == 0 && BusyTimeOf(found->second.use).seen_ms == 0)
             ? nullptr
             : &found->second.use;
}

std::optional<Duration> UseMeter::IdleFor(LeaseId lease, int64_t now_ns) const {
  const auto found = leases_.find(lease);
  if (found == leases_.end() || BusyTimeOf(found->second.use).seen_ms == 0) return std::nullopt;
  return Duration{now_ns - found->second.idle_since_ns};
}

}  // namespace gp
