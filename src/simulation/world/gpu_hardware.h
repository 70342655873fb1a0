#pragma once

// The GPUs of one host as they really are, and how their driver shows them: readings, events as
// they happen, lines in the kernel's log.  It knows which errors leave a GPU unusable until it is
// reset, mended or cut from power. A GPU that the host has at some time is a *card*: its position
// in the host's plan, whatever the driver lists.  The driver numbers those that it lists from 0.

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>
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
  bool is_lost = false;    // gone from the bus, until power is cut
  bool is_broken = false;  // a test finds it, and only a repair mends it
  bool resets_fail = false;
  RecoveryAction advice = RecoveryAction::kNone;
  Instant blind_since;  // ns == 0: it is read
  Instant blind_until;
  Warmth warmth = Warmth::kCool;
  Instant warm_until;
  // Whether programs on it may fail and nothing new may be started.
  bool is_unsound() const { return needs_reset || is_lost || is_broken; }
};

class GpuHardware {
 public:
  GpuHardware(const HostPlan& plan, Timeline& timeline);

  // All by card.
  GpuDamage& At(int card) { return damage_[static_cast<size_t>(card)]; }
  const GpuDamage& At(int card) const { return damage_[static_cast<size_t>(card)]; }
  size_t size() const { return damage_.size(); }

  // What an agent that begins now finds.
  std::shared_ptr<const NodeFacts> Facts() const;
  // In the driver's order.
  const std::vector<int>& listed() const { return listed_; }
  bool IsListed(int card) const { return std::ranges::find(listed_, card) != listed_.end(); }
  bool IsInstalled(int card) const {
    return std::ranges::find(installed_, card) != installed_.end();
  }
  bool ListsAll() const { return listed_ == installed_; }
  int CardAt(int gpu) const { return listed_[static_cast<size_t>(gpu)]; }
  // -1: none that is installed has this number of the kernel.
  int CardWithMinor(int minor) const;

  // It falls out of the driver's list until power is cut.
  void Unlist(int card);
  // Without power: the spare one, if it is still there, is put in its place for good.  False: it is
  // not.
  bool Exchange(int card);
  // Without power: the firmware finds the cards in another order, and keeps some of the memory for
  // itself.
  void Reorder();

  // The driver reports it, of a MIG instance if one is named, with `lease` as the program named by
  // the kernel's line.
  void Raise(int card, int xid, LeaseId lease, std::optional<int> instance, bool is_fatal);
  // Power was cut: what a reset mends is mended, and what was seen and not told is forgotten.
  void PowerCycle();

  // For the agent that runs now, with GPUs as the driver numbers them.
  std::vector<GpuReading> Read() const;
  std::vector<XidSighting> TakeEvents() { return AsListed(events_); }
  std::vector<SeenXid> TakeLines() { return AsListed(lines_); }
  // Another agent: the driver tells it nothing of before.
  void DropEvents() { events_.clear(); }

 private:
  // Takes them all; what is of a card that is not listed is lost.
  template <typename T>
  std::vector<T> AsListed(std::vector<T>& all) const;
  void NumberMinors();

  const HostPlan& plan_;
  Timeline& timeline_;
  std::vector<GpuDamage> damage_;
  std::vector<GpuFacts> cards_;
  std::vector<int> installed_;  // in the order in which the driver lists them after its start
  std::vector<int> listed_;
  int64_t reserved_mib_ = 0;         // of each NUMA node's memory, by firmware
  std::vector<XidSighting> events_;  // by card
  std::vector<SeenXid> lines_;
};

// Whether the code, as such, says that the GPU must not go on before it was reset.
bool IsFatalXid(int xid);

}  // namespace gp
