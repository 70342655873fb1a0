#include "simulation/world/ports/virtual_gpu_ports.h"

#include <algorithm>

namespace gp {

std::vector<XidSighting> VirtualGpuWatch::TakeXids() {
  std::vector<XidSighting> events = hardware_.TakeEvents();
  for (const XidSighting& event : events) on_error_(hardware_.CardAt(event.gpu), event.xid);
  return events;
}

void VirtualGpuCare::Begin(uint64_t number, int gpu, GpuCareKind kind) {
  const auto [task, is_new] = tasks_.try_emplace(number);
  if (!is_new) return;
  const int card = hardware_.CardAt(gpu);
  surroundings_.check_idle(card, kind == GpuCareKind::kReset ? "reset" : "tested");
  task->second.result = {number, gpu, false, ""};
  const Duration time = Duration::Milliseconds(rng_.Chance(1, 8) ? rng_.Between(5'000, 30'000)
                                                                 : rng_.Between(200, 4'000));
  timeline_.After(time, [this, still = std::weak_ptr(alive_), number, card, kind] {
    if (still.expired()) return;
    const auto found = tasks_.find(number);
    if (found == tasks_.end()) return;
    found->second.has_ended = true;
    found->second.result.ok = CarryOut(card, kind);
    found->second.result.detail = found->second.result.ok ? "" : "it is faulty";
    surroundings_.changed();
  });
}

bool VirtualGpuCare::CarryOut(int card, GpuCareKind kind) {
  GpuDamage& damage = hardware_.At(card);
  if (kind == GpuCareKind::kTest) {
    if (damage.is_unsound() || damage.blind_since.ns != 0 || damage.warmth != Warmth::kCool)
      return false;
  } else {
    if (damage.is_lost || damage.resets_fail) return false;
    surroundings_.check_idle(card, "reset");
    damage.needs_reset = false;
    damage.advice = RecoveryAction::kNone;
  }
  surroundings_.sound(card, kind);
  return true;
}

std::vector<GpuCareResult> VirtualGpuCare::Results() {
  std::vector<GpuCareResult> results;
  for (const auto& [number, task] : tasks_) {
    if (task.has_ended) results.push_back(task.result);
  }
  return results;
}

void VirtualGpuCare::KeepOnly(const std::vector<uint64_t>& numbers) {
  std::erase_if(tasks_, [&](const auto& entry) {
    return entry.second.has_ended && std::ranges::find(numbers, entry.first) == numbers.end();
  });
}

}  // namespace gp
