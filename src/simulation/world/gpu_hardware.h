#pragma once

// The GPUs of one host as they really are, and how their driver shows them: readings, events as they happen, lines in
// the kernel's log.  It knows which errors leave a GPU unusable until it is reset, mended or cut from power.

#include <functional>
#include <vector>

#include "application/agent/gpu_keeper.h"
#include "domain/node/fault_signals.h"
#include "ports/outbound/gpu_watch.h"
#include "simulation/world/timeline.h"
#include "simulation/world/world_plan.h"

namespace gp {

enum class Warmth { kCool, kWarm, kSlowed, kCritical };

// As the driver of every GPU here says.
inline constexpr GpuHeatLimits kHeatLimits{87, 92};

struct GpuDamage {
  bool needs_reset = false;
  bool is_lost = false;         // gone from the bus, until power is cut
  bool is_broken = false;       // a test finds it, and only a repair mends it
  bool resets_fail = false;
  RecoveryAction advice = RecoveryAction::kNone;
  Instant blind_since;          // ns == 0: it is read
  Instant blind_until;
  Warmth warmth = Warmth::kCool;
  Instant warm_until;
  // Whether programs on it may fail and nothing new may be started.
  bool is_unsound() const { return needs_reset || is_lost || is_broken; }
};

class GpuHardware {
 public:
  GpuHardware(const HostPlan& plan, Timeline& timeline) : plan_(plan), timeline_(timeline), gpus_(plan.facts->gpus.size()) {}

  GpuDamage& At(int gpu) { return gpus_[static_cast<size_t>(gpu)]; }
  const GpuDamage& At(int gpu) const { return gpus_[static_cast<size_t>(gpu)]; }
  size_t size() const { return gpus_.size(); }

  // The driver reports it, of a MIG instance if one is named, with `lease` as the program named by the kernel's line.
  void Raise(int gpu, int xid, LeaseId lease, std::optional<int> instance, bool is_fatal);
  // Power was cut: what a reset mends is mended, and what was seen and not told is forgotten.
  void PowerCycle();

  // For the agent that runs now.
  std::vector<GpuReading> Read() const;
  std::vector<XidSighting> TakeEvents() { return std::exchange(events_, {}); }
  std::vector<SeenXid> TakeLines() { return std::exchange(lines_, {}); }
  // Another agent: the driver tells it nothing of before.
  void DropEvents() { events_.clear(); }

 private:
  const HostPlan& plan_;
  Timeline& timeline_;
  std::vector<GpuDamage> gpus_;
  std::vector<XidSighting> events_;
  std::vector<SeenXid> lines_;
};

// Whether the code, as such, says that the GPU must not go on before it was reset.
bool IsFatalXid(int xid);

}  // namespace gp
