#pragma once

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

// The limits that the driver of every simulated GPU reports.
inline constexpr GpuHeatLimits kHeatLimits{87, 92};

struct GpuDamage {
  bool needs_reset = false;
  bool is_lost = false;    // gone from the bus, until a power cycle
  bool is_broken = false;  // a test finds it, and only a repair fixes it
  bool resets_fail = false;
  RecoveryAction advice = RecoveryAction::kNone;
  Instant blind_since;  // ns == 0: readings are available
  Instant blind_until;
  Warmth warmth = Warmth::kCool;
  Instant warm_until;
  // Whether programs on it may fail and nothing new may start there.
  bool is_unsound() const { return needs_reset || is_lost || is_broken; }
};

// The true state of one host's GPUs, and what their driver shows of it: readings, events, lines in
// the kernel log.  It knows which errors leave a GPU unusable until a reset, a repair or a power
// cycle.  A GPU that the host has at some time is a *card*, identified by its position in the
// host's plan, whether the driver lists it or not.  The driver numbers the listed GPUs from 0.
class GpuHardware {
 public:
  GpuHardware(const HostPlan& plan, Timeline& timeline);

  // The parameter is always a card.
  GpuDamage& At(int card) { return damage_[static_cast<size_t>(card)]; }
  const GpuDamage& At(int card) const { return damage_[static_cast<size_t>(card)]; }
  size_t size() const { return damage_.size(); }

  // The facts that a newly started agent finds.
  std::shared_ptr<const NodeFacts> Facts() const;
  // Cards in the order in which the driver lists them.
  const std::vector<int>& listed() const { return listed_; }
  bool IsListed(int card) const { return std::ranges::find(listed_, card) != listed_.end(); }
  bool IsInstalled(int card) const {
    return std::ranges::find(installed_, card) != installed_.end();
  }
  bool ListsAll() const { return listed_ == installed_; }
  int CardAt(int gpu) const { return listed_[static_cast<size_t>(gpu)]; }
  // The card with this device minor number; -1: none that is installed.
  int CardWithMinor(int minor) const;

  // The card disappears from the driver's list until a power cycle.
  void Unlist(int card);
  // While the power is off: permanently replaces the card by the spare one.  False: the spare is
  // already used.
  bool Exchange(int card);
  // While the power is off: the firmware finds the cards in another order, and reserves some memory
  // for itself.
  void Reorder();

  // The driver reports an error, of a MIG instance if one is given.  `lease`: the program that the
  // kernel's line names.
  void Raise(int card, int xid, LeaseId lease, std::optional<int> instance, bool is_fatal);
  // A power cycle: fixes what a reset fixes, and drops errors that were not yet reported.
  void PowerCycle();

  // For the running agent, with GPUs as the driver numbers them.
  std::vector<GpuReading> Read() const;
  std::vector<XidSighting> TakeEvents() { return AsListed(events_); }
  std::vector<SeenXid> TakeLines() { return AsListed(lines_); }
  // A new agent has started: the driver does not report earlier events to it.
  void DropEvents() { events_.clear(); }

 private:
  // Takes all of them; those of cards that are not listed are lost.
  template <typename T>
  std::vector<T> AsListed(std::vector<T>& all) const;
  void NumberMinors();

  const HostPlan& plan_;
  Timeline& timeline_;
  std::vector<GpuDamage> damage_;
  std::vector<GpuFacts> cards_;
  std::vector<int> installed_;  // in the order in which the driver lists them after it starts
  std::vector<int> listed_;
  int64_t reserved_mib_ = 0;         // of each NUMA node's memory, by the firmware
  std::vector<XidSighting> events_;  // by card
  std::vector<SeenXid> lines_;
};

// Whether this XID alone means that the GPU must not be used before a reset.
bool IsFatalXid(int xid);

}  // namespace gp
