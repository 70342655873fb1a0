#include "domain/model/nodes/use.h"

#include <algorithm>

namespace gp {
namespace {

const GpuUse* FindGpu(const RankUse& use, int gpu) {
  const auto found = std::ranges::find(use.gpus, gpu, &GpuUse::gpu);
  return found == use.gpus.end() ? nullptr : &*found;
}

// The longest measured time of any counter.
int64_t SeenMs(const RankUse& use) {
  int64_t seen = use.cpu_seen_ms;
  for (const GpuUse& gpu : use.gpus) seen = std::max(seen, gpu.seen_ms);
  return seen;
}

}  // namespace

bool Follows(const RankUse& before, const RankUse& now, const std::vector<int>& gpus) {
  const bool goes_on = before.since == now.since;
  const auto grows = [](int64_t least, int64_t part, int64_t whole) {
    return part >= least && whole <= kUseMsMax && part <= kUseMsMax;
  };
  if (!grows(goes_on ? before.cpu_ms : 0, now.cpu_ms, now.cpu_seen_ms) ||
      now.cpu_seen_ms < (goes_on ? before.cpu_seen_ms : 0))
    return false;
  const bool has_twice = std::ranges::adjacent_find(now.gpus, std::ranges::greater_equal{},
                                                    &GpuUse::gpu) != now.gpus.end();
  if (now.gpus.size() > gpus.size() || has_twice || now.memory_mib > kUseMemoryMibMax) return false;
  return std::ranges::all_of(now.gpus, [&](const GpuUse& gpu) {
    const GpuUse* earlier = goes_on ? FindGpu(before, gpu.gpu) : nullptr;
    const int64_t seen = earlier == nullptr ? 0 : earlier->seen_ms,
                  busy = earlier == nullptr ? 0 : earlier->busy_ms;
    return std::ranges::find(gpus, gpu.gpu) != gpus.end() && gpu.seen_ms >= seen &&
           gpu.seen_ms <= kUseMsMax && gpu.busy_ms >= busy && gpu.memory_mib <= kUseMemoryMibMax &&
           gpu.busy_ms - busy <= gpu.seen_ms - seen;
  });
}

bool FitsInto(const RankUse& use, Duration time) {
  constexpr int64_t kSlackMs = 3'600'000;  // for steps of the clock
  constexpr int64_t kCoresMax = 8'192;
  const int64_t most = time.ToMilliseconds() + kSlackMs;
  return use.cpu_seen_ms <= most && use.cpu_ms / kCoresMax <= most &&
         std::ranges::all_of(use.gpus, [&](const GpuUse& gpu) { return gpu.seen_ms <= most; });
}

RankUse Added(RankUse sum, const RankUse& before, const RankUse& now) {
  const bool goes_on = before.since == now.since;
  for (const GpuUse& gpu : now.gpus) {
    const GpuUse* earlier = goes_on ? FindGpu(before, gpu.gpu) : nullptr;
    if (FindGpu(sum, gpu.gpu) == nullptr) sum.gpus.push_back({.gpu = gpu.gpu});
    GpuUse& total = *std::ranges::find(sum.gpus, gpu.gpu, &GpuUse::gpu);
    total.seen_ms += gpu.seen_ms - (earlier == nullptr ? 0 : earlier->seen_ms);
    total.busy_ms += gpu.busy_ms - (earlier == nullptr ? 0 : earlier->busy_ms);
    total.memory_mib = std::max(total.memory_mib, gpu.memory_mib);
  }
  std::ranges::sort(sum.gpus, {}, &GpuUse::gpu);
  sum.cpu_ms += now.cpu_ms - (goes_on ? before.cpu_ms : 0);
  sum.cpu_seen_ms += now.cpu_seen_ms - (goes_on ? before.cpu_seen_ms : 0);
  sum.memory_mib = std::max(sum.memory_mib, now.memory_mib);
  if (sum.since.ns == 0) sum.since = now.since;
  return sum;
}

BusyTime BusyTimeOf(const RankUse& use) {
  BusyTime time;
  for (const GpuUse& gpu : use.gpus) {
    time.seen_ms += gpu.seen_ms;
    time.busy_ms += gpu.busy_ms;
  }
  return time;
}

bool IsWorthNoting(const RankUse& noted, const RankUse& now) {
  constexpr int64_t kLeastMs = 10'000;
  constexpr int64_t kMostMs = 300'000;
  if (now.since.ns == 0) return false;
  const int64_t before = SeenMs(noted);
  return SeenMs(now) >= before + std::clamp(before / 10, kLeastMs, kMostMs);
}

}  // namespace gp
